import { badRequest } from './status-error.js';

/** How much of each object the rows of a Table carry. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const asked = query.get('includeObject') ?? '';
  if (asked === 'None' || asked === 'Object' || asked === 'Metadata') return asked;
  if (asked === '') return 'Metadata';
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
