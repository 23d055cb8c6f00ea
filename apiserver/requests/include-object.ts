import type { IncludeObject } from '../objects/table.js';
import { badRequest } from '../status-error.js';

export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const asked = query.get('includeObject') ?? '';
  if (asked === 'None' || asked === 'Object' || asked === 'Metadata') return asked;
  if (asked === '') return 'Metadata';
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
