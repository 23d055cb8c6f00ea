/** Hooks that fail on one object each, by name, in ways that are no `Error` or come late. */
export function transform(object) {
  switch (object.metadata.name) {
    case 'throws-null':
      throw null;
    case 'throws-in-getter':
      return {
        ...object,
        get spec() {
          throw null;
        },
      };
    case 'is-cyclic':
      object.self = object;
      return object;
    case 'throws-by-proxy':
      return new Proxy(object, {
        get() {
          throw new Error('in the proxy');
        },
      });
    default:
      return object;
  }
}
