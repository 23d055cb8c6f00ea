/** Skips a dropped value: it is checked like any other, but not written. */

import { abandon, INVALID, p, peek, setInput, takeColon } from './cursor';
import { plan } from './plan';
import { endOfPlainString, skipString } from './json-strings';
import { skipNumber } from './tokens';

export function skipValue(depth: u32): void {
  switch (peek()) {
    case 0x22:
      setInput(p + 1);
      skipString();
      return;
    case 0x7b:
      skipObject(depth + 1);
      return;
    case 0x5b:
      skipArray(depth + 1);
      return;
    case 0x74:
    case 0x66:
    case 0x6e:
      takeLiteral();
      return;
    default:
      skipNumber();
  }
}

/** Reads `true`, `false` or `null` at `p`. */
export function takeLiteral(): void {
  const word = load<u32>(p);
  if (word == 0x65757274 || word == 0x6c6c756e) setInput(p + 4);
  else if (word == 0x736c6166 && load<u8>(p + 4) == 0x65) setInput(p + 5);
  else abandon(INVALID);
}

function skipObject(depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  setInput(p + 1);
  if (peek() == 0x7d) {
    setInput(p + 1);
    return;
  }
  while (true) {
    if (peek() != 0x22) abandon(INVALID);
    const end = endOfPlainString(p + 1);
    if (load<u8>(end) == 0x22) setInput(end + 1);
    else {
      setInput(p + 1);
      skipString();
    }
    // `:{}`: three of four values in managedFields.
    if ((load<u32>(p) & 0xffffff) == 0x7d7b3a && depth < plan.maxDepth) setInput(p + 3);
    else {
      takeColon();
      skipValue(depth);
    }
    const next = peek();
    setInput(p + 1);
    if (next == 0x7d) return;
    if (next != 0x2c) abandon(INVALID);
  }
}

function skipArray(depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  setInput(p + 1);
  if (peek() == 0x5d) {
    setInput(p + 1);
    return;
  }
  while (true) {
    skipValue(depth);
    const next = peek();
    setInput(p + 1);
    if (next == 0x5d) return;
    if (next != 0x2c) abandon(INVALID);
  }
}
