/**
 * Finds the end of a value that begins with a bracket or a quote, without checking its content: brackets are counted,
 * not matched. Returns the address after it, or 0 if it continues beyond `end`.
 */
export function endOfValue(from: usize, end: usize): usize {
  let q = from;
  let depth: i32 = 0;
  let isInString = false;
  while (q < end) {
    if (isInString) {
      const chars = v128.load(q);
      const stops = i8x16.bitmask(
        v128.or(i8x16.eq(chars, i8x16.splat(0x22)), i8x16.eq(chars, i8x16.splat(0x5c))),
      );
      if (stops == 0) {
        q += 16;
        continue;
      }
      q += ctz(stops);
      if (q >= end) break;
      if (load<u8>(q) == 0x5c) {
        q += 2;
        continue;
      }
      q++;
      isInString = false;
      if (depth == 0) return q;
      // Between two strings there is usually only a colon or a comma.
      if (load<u8>(q + 1) == 0x22 && q + 1 < end) {
        const between: u32 = load<u8>(q);
        if (between == 0x3a || between == 0x2c) {
          q += 2;
          isInString = true;
        }
      }
      continue;
    }
    const bytes = v128.load(q);
    // With this bit set, [ becomes { and ] becomes }.
    const brackets = v128.or(bytes, i8x16.splat(0x20));
    const stops = i8x16.bitmask(
      v128.or(
        i8x16.eq(bytes, i8x16.splat(0x22)),
        v128.or(i8x16.eq(brackets, i8x16.splat(0x7b)), i8x16.eq(brackets, i8x16.splat(0x7d))),
      ),
    );
    if (stops == 0) {
      q += 16;
      continue;
    }
    q += ctz(stops);
    if (q >= end) break;
    const byte: u32 = load<u8>(q);
    q++;
    if (byte == 0x22) isInString = true;
    else if ((byte | 0x20) == 0x7b) depth++;
    else {
      depth--;
      if (depth <= 0) return q;
    }
  }
  return 0;
}

/** The address of the first newline before `end`, or 0. */
export function endOfLine(from: usize, end: usize): usize {
  const newline = i8x16.splat(0x0a);
  for (let q = from; q < end; q += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(q), newline));
    if (found != 0) {
      const at = q + ctz(found);
      return at < end ? at : 0;
    }
  }
  return 0;
}
