import { printPath } from '../ownership/field-path.js';
import type { FieldSet } from '../ownership/field-set.js';
import { pathsOf } from '../ownership/field-set.js';
import { identityOf, type ManagedEntry } from '../ownership/managed-entries.js';
import { StatusError } from '../status-error.js';

/** Fields of one manager that an apply by another one would change. */
export interface ApplyConflict {
  readonly owner: ManagedEntry;
  readonly fields: FieldSet;
}

/** 409 that lists every conflicting field and its manager. */
export class ApplyConflictError extends StatusError {
  readonly conflicts: readonly ApplyConflict[];

  constructor(conflicts: readonly ApplyConflict[]) {
    const byOwner = [...conflicts]
      .sort((a, b) => (identityOf(a.owner) < identityOf(b.owner) ? -1 : 1))
      .map(({ owner, fields }) => ({ name: printOwner(owner), paths: pathsOf(fields).map(printPath) }));
    const causes = byOwner.flatMap(({ name, paths }) =>
      paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${name}`, field })),
    );
    const lines = byOwner.flatMap(({ name, paths }) => [
      `conflicts with ${name}:`,
      ...paths.map((path) => `- ${path}`),
    ]);
    const [only] = causes;
    const message =
      causes.length === 1 && only !== undefined
        ? `1 conflict: ${only.message}: ${only.field}`
        : `${causes.length} conflicts: ${lines.join('\n')}`;
    super(409, 'Conflict', `Apply failed with ${message}`, { details: { causes } });
    this.name = 'ApplyConflictError';
    this.conflicts = conflicts;
  }
}

function printOwner({ manager = '', operation, apiVersion, subresource }: ManagedEntry): string {
  const name = JSON.stringify(manager);
  const place = subresource ? ` with subresource ${JSON.stringify(subresource)}` : '';
  return operation === 'Update' ? `${name}${place} using ${apiVersion}` : name + place;
}
