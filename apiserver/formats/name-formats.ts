/** The formats of names, label keys and label values, with kube-apiserver's messages for invalid ones. */

const DNS_1123_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_1123_SUBDOMAIN = `${DNS_1123_LABEL}(\\.${DNS_1123_LABEL})*`;
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${LABEL_KEY})?`;
const DATA_KEY = '[-._a-zA-Z0-9]+';

const DNS_1123_LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const DNS_1123_SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const DNS_1035_LABEL_MESSAGE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const LABEL_KEY_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const DATA_KEY_MESSAGE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

const IS_DNS_1123_LABEL = fullMatch(DNS_1123_LABEL);
const IS_DNS_1123_SUBDOMAIN = fullMatch(DNS_1123_SUBDOMAIN);
const IS_DNS_1035_LABEL = fullMatch(DNS_1035_LABEL);
const IS_LABEL_KEY = fullMatch(LABEL_KEY);
const IS_LABEL_VALUE = fullMatch(LABEL_VALUE);
const IS_DATA_KEY = fullMatch(DATA_KEY);

const MAX_LABEL_BYTES = 63;
const MAX_SUBDOMAIN_BYTES = 253;

/** kube-apiserver counts bytes in both cases, but its message mentions it only for labels. */
type LengthUnit = 'bytes' | 'characters';

export function dns1123LabelProblems(value: string): string[] {
  const problems = lengthProblems(value, MAX_LABEL_BYTES, 'characters');
  if (IS_DNS_1123_LABEL.test(value)) return problems;
  const message = IS_DNS_1123_SUBDOMAIN.test(value)
    ? 'must not contain dots'
    : regexMessage(DNS_1123_LABEL_MESSAGE, DNS_1123_LABEL, ['my-name', '123-abc']);
  return [...problems, message];
}

export function dns1123SubdomainProblems(value: string, unit: LengthUnit = 'characters'): string[] {
  const problems = lengthProblems(value, MAX_SUBDOMAIN_BYTES, unit);
  if (IS_DNS_1123_SUBDOMAIN.test(value)) return problems;
  return [...problems, regexMessage(DNS_1123_SUBDOMAIN_MESSAGE, DNS_1123_SUBDOMAIN, ['example.com'])];
}

export function dns1035LabelProblems(value: string): string[] {
  const problems = lengthProblems(value, MAX_LABEL_BYTES, 'characters');
  if (IS_DNS_1035_LABEL.test(value)) return problems;
  return [...problems, regexMessage(DNS_1035_LABEL_MESSAGE, DNS_1035_LABEL, ['my-name', 'abc-123'])];
}

export function labelKeyProblems(value: string): string[] {
  const message = regexMessage(LABEL_KEY_MESSAGE, LABEL_KEY, ['MyName', 'my.name', '123-abc']);
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    problems.push(...dns1123SubdomainProblems(prefix, 'bytes').map((problem) => `prefix part ${problem}`));
  }
  const name = parts.at(-1) ?? '';
  if (name === '') problems.push('name part must be non-empty');
  else
    problems.push(...lengthProblems(name, MAX_LABEL_BYTES, 'bytes').map((problem) => `name part ${problem}`));
  if (!IS_LABEL_KEY.test(name)) problems.push(`name part ${message}`);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems = lengthProblems(value, MAX_LABEL_BYTES, 'bytes');
  if (IS_LABEL_VALUE.test(value)) return problems;
  return [...problems, regexMessage(LABEL_VALUE_MESSAGE, LABEL_VALUE, ['MyValue', 'my_value', '12345'])];
}

/** Keys of a ConfigMap's or Secret's data. */
export function dataKeyProblems(value: string): string[] {
  const problems = lengthProblems(value, MAX_SUBDOMAIN_BYTES, 'characters');
  if (!IS_DATA_KEY.test(value)) {
    problems.push(regexMessage(DATA_KEY_MESSAGE, DATA_KEY, ['key.name', 'KEY_NAME', 'key-name']));
  }
  if (value === '.') problems.push("must not be '.'");
  if (value === '..') problems.push("must not be '..'");
  else if (value.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

/** Names that no object may have, since they are path segments. */
export function pathSegmentProblems(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Replaces a trailing dash of a name prefix, which is valid since the server appends a suffix. */
export function maskTrailingDash(value: string): string {
  return value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value;
}

function lengthProblems(value: string, maxBytes: number, unit: LengthUnit): string[] {
  return Buffer.byteLength(value) > maxBytes ? [`must be no more than ${maxBytes} ${unit}`] : [];
}

function fullMatch(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

/** The odd commas are those of kube-apiserver. */
function regexMessage(message: string, pattern: string, examples: readonly string[]): string {
  const listed = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${listed}regex used for validation is '${pattern}')`;
}
