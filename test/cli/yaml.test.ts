import { dumpYaml, loadYaml } from '@kubernetes/client-node';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '#dist/src/cli/kube-config/yaml.js';

const KUBECTL = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTi==
    server: https://10.0.0.1:6443   # the first one
  name: "kind # not a comment"
- cluster: {server: 'http://127.0.0.1:8080', insecure-skip-tls-verify: true}
  name: plain
contexts: []
current-context: kind
kind: Config
preferences: {}
users:
- name: kind-user
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      args: [eks, get-token, --cluster-name, "it's"]
      command: aws
      env: null
      installHint: |
        Install it:

          brew install aws
      interactiveMode: IfAvailable
      provideClusterInfo: false
    note: >-
      folded
      text

      and more
`;

describe('the YAML of kubeconfigs', () => {
  it('is read as js-yaml reads it', () => {
    expect(parseYaml(KUBECTL)).toEqual(loadYaml(KUBECTL));
  });

  it.each([
    ['a document mark', '---\na: 1\n'],
    ['comments and empty lines', '# one\n\na: 1 # two\n# three\nb:\n  # four\n  c: d\n'],
    ['sequences of sequences', '- - a\n  - b\n-\n  - c\n'],
    ['a sequence that is indented', 'a:\n  - b\n  - c: 1\n    d: 2\n'],
    ['keys in quotes', '"a b": 1\n\'c:d\': 2\n'],
    ['a value with a colon', 'a: b:c\nurl: https://x:1/\n'],
    ['keys without a value', 'a:\nb:\n  c:\n'],
    ['block scalars', 'a: |\n  one\n   two\n\nb: |-\n  x\nc: |+\n  y\n\nd: >\n  p\n  q\n\n  r\n'],
    ['line ends of another system', 'a: 1\r\nb:\r\n- c\r\n'],
    ['escapes', "a: \"\\u00e4\\n\\x41\\t\\\\\"\nb: 'it''s'\n"],
  ])('%s', (_, text) => {
    expect(parseYaml(text)).toEqual(loadYaml(text));
  });

  it.each([
    ['an anchor', 'a: &x 1\n'],
    ['an alias', 'a: *x\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a tab', 'a:\n\tb: 1\n'],
    ['a second document', 'a: 1\n---\nb: 2\n'],
    ['a text on two lines', 'a: one\n  two\n'],
    ['brackets on two lines', 'a: [1,\n  2]\n'],
    ['a quote that is not closed', 'a: "x\n'],
    ['a key that is there twice', 'a: 1\na: 2\n'],
    ['an indentation that fits nowhere', 'a:\n    b: 1\n  c: 2\n'],
  ])('%s is refused, with its line', (_, text) => {
    expect(() => parseYaml(text)).toThrow(/^line \d/);
  });

  it('whatever js-yaml writes is read, or refused, and never misread', () => {
    const scalar = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('true', 'null', '~', '1', '- a', 'a: b', '#', ' x ', "it's", 'a\nb', 'a\n\n b\n', ''),
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        scalar,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), tie('tree'), { maxKeys: 4 }),
      ),
    }));
    let read = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z-]{1,8}$/), tree, { maxKeys: 4 }), (value) => {
        const text = dumpYaml(value);
        let parsed: unknown;
        try {
          parsed = parseYaml(text);
        } catch {
          return;
        }
        read++;
        if (Object.keys(value).length > 0) expect(parsed).toEqual(loadYaml(text));
      }),
      { numRuns: 500 },
    );
    expect(read).toBeGreaterThan(200);
  });
});
