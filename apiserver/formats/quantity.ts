/** Resource quantities (`100m`, `1Gi`), written as k8s.io/apimachinery/pkg/api/resource canonicalizes them. */

type Family = 'binary' | 'decimal' | 'exponent';

const FORMAT = /^([+-]?)([0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const FORMAT_MESSAGE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const MILLI = 1_000n;

/** A quantity in thousandths, to which resource lists are rounded up. */
interface Quantity {
  readonly milli: bigint;
  readonly family: Family;
}

/** Throws an Error with Go's message. */
export function canonicalQuantity(value: unknown): string {
  return written(parseQuantity(value));
}

/** The value in thousandths; undefined when it is no quantity. */
export function milliValue(value: unknown): number | undefined {
  try {
    return Number(parseQuantity(value).milli);
  } catch {
    return undefined;
  }
}

function parseQuantity(value: unknown): Quantity {
  const match = FORMAT.exec(typeof value === 'string' || typeof value === 'number' ? String(value) : '');
  if (match === null) throw new Error(FORMAT_MESSAGE);
  const [, sign = '', digits = '', suffix = ''] = match;
  const parts = /^([0-9]*)(?:\.([0-9]*))?$/.exec(digits);
  if (parts === null || digits === '.') throw new Error('unable to parse numeric part of quantity');
  const fraction = parts[2] ?? '';
  const { factor, divisor, family } = scaleOf(suffix);
  const numerator = BigInt(`${parts[1]}${fraction}`) * factor * MILLI;
  const denominator = divisor * 10n ** BigInt(fraction.length);
  const milli = (numerator + denominator - 1n) / denominator;
  return { milli: sign === '-' ? -milli : milli, family };
}

function scaleOf(suffix: string): { factor: bigint; divisor: bigint; family: Family } {
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { factor: 1024n ** BigInt(binary), divisor: 1n, family: 'binary' };
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  if (decimal >= 0) return { ...powerOfTen((decimal - 3) * 3), family: 'decimal' };
  const exponent = /^[eE]([+-]?[0-9]+)$/.exec(suffix)?.[1];
  if (exponent === undefined) throw new Error("unable to parse quantity's suffix");
  return { ...powerOfTen(Number(exponent)), family: 'exponent' };
}

function powerOfTen(exponent: number): { factor: bigint; divisor: bigint } {
  const power = 10n ** BigInt(Math.min(Math.abs(exponent), 40));
  return exponent < 0 ? { factor: 1n, divisor: power } : { factor: power, divisor: 1n };
}

function written({ milli, family }: Quantity): string {
  if (milli === 0n) return '0';
  const isWhole = milli % MILLI === 0n;
  const isSmall = milli < 1024n * MILLI && milli > -1024n * MILLI;
  if (family === 'binary' && isWhole && !isSmall) {
    const { mantissa, power } = withoutFactor(milli / MILLI, 1024n, BINARY_SUFFIXES.length - 1);
    return `${mantissa}${BINARY_SUFFIXES[power]}`;
  }
  const { mantissa, power } = withoutFactor(milli, 1000n, DECIMAL_SUFFIXES.length - 3);
  if (family !== 'exponent') return `${mantissa}${DECIMAL_SUFFIXES[power + 2]}`;
  const exponent = (power - 1) * 3;
  return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
}

function withoutFactor(value: bigint, factor: bigint, maxPower: number): { mantissa: bigint; power: number } {
  let mantissa = value;
  let power = 0;
  while (power < maxPower && mantissa % factor === 0n) {
    mantissa /= factor;
    power++;
  }
  return { mantissa, power };
}
