import { itemsAt, type Json, objectAt } from '../defaults/filling.js';

/** The text of a LabelSelector object; empty when it says nothing. */
export function formatSelector(selector: Json): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels')).map(
    ([key, value]) => [key, `${key}=${value}`] as const,
  );
  const expressions = itemsAt(selector, 'matchExpressions').map((expression) => {
    const key = String(expression['key']);
    const values = Array.isArray(expression['values']) ? [...expression['values']].sort().join(',') : '';
    switch (expression['operator']) {
      case 'In':
        return [key, `${key} in (${values})`] as const;
      case 'NotIn':
        return [key, `${key} notin (${values})`] as const;
      case 'DoesNotExist':
        return [key, `!${key}`] as const;
      default:
        return [key, key] as const;
    }
  });
  const terms = [...labels, ...expressions].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return terms.map(([, term]) => term).join(',');
}
