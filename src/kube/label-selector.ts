/** Tells whether an object with these labels is selected. */
export type LabelMatcher = (labels: Readonly<Record<string, unknown>>) => boolean;

/** `key in (a, b)`, `key notin (a, b)`, `key = a`, `key == a`, `key != a`, `key > 1`, `key < 1`, `key`, `!key`. */
const REQUIREMENT =
  /\s*(?:(!)\s*([^\s=!(),<>]+)|([^\s=!(),<>]+)\s*(?:(in|notin)\s*\(([^)]*)\)|(==?|!=|>|<)\s*([^\s=!(),<>]*))?)\s*(?:,|$)/y;

/**
 * Evaluates a label selector as an API server does, which has accepted it: its names and values are not checked. Undefined
 * for text that is not a selector.
 */
export function labelMatcher(selector: string): LabelMatcher | undefined {
  const requirements: LabelMatcher[] = [];
  for (let at = 0; at < selector.trimEnd().length; at = REQUIREMENT.lastIndex) {
    REQUIREMENT.lastIndex = at;
    const match = REQUIREMENT.exec(selector);
    if (match === null) return undefined;
    const [, not, absent = '', key = '', setOperator, set = '', operator, value = ''] = match;
    if (not !== undefined) requirements.push((labels) => !Object.hasOwn(labels, absent));
    else if (setOperator !== undefined) {
      const values = set.split(',').map((item) => item.trim());
      requirements.push((labels) => values.includes(labelOf(labels, key)) === (setOperator === 'in'));
    } else requirements.push(comparison(key, operator, value));
  }
  return (labels) => requirements.every((matches) => matches(labels));
}

function comparison(key: string, operator: string | undefined, value: string): LabelMatcher {
  switch (operator) {
    case undefined:
      return (labels) => Object.hasOwn(labels, key);
    case '!=':
      return (labels) => labelOf(labels, key) !== value;
    case '>':
      return (labels) => Object.hasOwn(labels, key) && Number(labels[key]) > Number(value);
    case '<':
      return (labels) => Object.hasOwn(labels, key) && Number(labels[key]) < Number(value);
    default:
      return (labels) => labelOf(labels, key) === value;
  }
}

/** A value that no label has if there is none, since a label may be empty. */
function labelOf(labels: Readonly<Record<string, unknown>>, key: string): string {
  return Object.hasOwn(labels, key) ? String(labels[key]) : '\0';
}
