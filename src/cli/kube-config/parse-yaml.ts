/**
 * How often an alias may refer to one anchor, and how many nodes nested aliases may expand to: far beyond any
 * real kubeconfig, and far below an alias bomb.
 */
const MAX_ALIAS_COUNT = 1000;

/** The message has the line and the kind of the problem. It never quotes the document, which may hold credentials. */
export class YamlError extends Error {}

/**
 * Parses one YAML (or JSON) document. Scalars are strings, booleans or null: a token of digits stays as it is written.
 * Unknown tags are ignored, no tag constructs anything. Rejects with a `YamlError`.
 */
export async function parseYaml(source: string): Promise<unknown> {
  // Loaded only here: neither an embedder nor `kubeflect --help` pays for it.
  const { parseDocument } = await import('yaml');
  try {
    const document = parseDocument(source, {
      schema: 'failsafe',
      customTags: ['null', 'bool'],
      resolveKnownTags: false,
      merge: true,
      // The pretty ones quote the line with the error.
      prettyErrors: false,
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = source.slice(0, error.pos[0]).split('\n').length;
      throw new YamlError(`line ${line}: ${error.code.toLowerCase().replaceAll('_', ' ')}`);
    }
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT });
    if (isCyclic(value)) throw new YamlError('an anchor contains an alias of itself');
    return value;
  } catch (error) {
    if (error instanceof YamlError) throw error;
    // The messages of yaml's ReferenceErrors contain names from the document.
    throw new YamlError('an alias has no anchor, or aliases expand too far');
  }
}

/** `done` has what was visited before, since aliases share their objects. */
function isCyclic(value: unknown, ancestors = new Set<unknown>(), done = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || done.has(value)) return false;
  if (ancestors.has(value)) return true;
  ancestors.add(value);
  const hasCycle = Object.values(value).some((child) => isCyclic(child, ancestors, done));
  ancestors.delete(value);
  done.add(value);
  return hasCycle;
}
