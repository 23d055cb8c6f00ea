/** The life of pods under kubectl: create, read in every form, watch, delete. */

import { describe, expect, test } from 'vitest';
import type { KubeItem, KubeList } from './kube-item.js';
import type { KubectlScene } from './kubectl-suite.js';
import { podYaml } from './manifests.js';
import { outputLines } from './output-lines.js';

export function describePods(scene: KubectlScene): void {
  const { namespace } = scene;
  describe('pods', () => {
    test('create -f accepts YAML with several objects', async () => {
      const yaml = ['one', 'two', 'three']
        .map((pod) => podYaml(pod, pod === 'three' ? 'back' : 'front'))
        .join('---\n');
      expect(outputLines(await scene.kubectl.run(['create', '-f', '-'], yaml))).toEqual([
        'pod/one created',
        'pod/two created',
        'pod/three created',
      ]);
    });

    test('create -f of an existing object is an error', async () => {
      const { code, stderr } = await scene.kubectl.attempt(['create', '-f', '-'], podYaml('one', 'front'));
      expect(code).toBe(1);
      expect(stderr).toContain('(AlreadyExists)');
      expect(stderr).toContain('pods "one" already exists');
    });

    test('get pods -A shows a table of all namespaces', async () => {
      const rows = outputLines(await scene.kubectl.run(['get', 'pods', '-A']));
      expect(rows[0]).toMatch(/^NAMESPACE +NAME +.*AGE/);
      const ours = rows.map((row) => row.split(/\s+/)).filter(([where]) => where === namespace);
      expect(ours.map(([, pod]) => pod)).toEqual(['one', 'three', 'two']);
    });

    test('get shows a table of one namespace, with and without -o wide', async () => {
      for (const wide of [[], ['-o', 'wide']]) {
        const [header, ...rows] = outputLines(await scene.kubectl.run(['get', 'pods', ...wide]));
        expect(header).toMatch(/^NAME +.*AGE/);
        expect(rows.map((row) => row.split(/\s+/)[0])).toEqual(['one', 'three', 'two']);
      }
    });

    test('get --show-labels adds the labels to the table', async () => {
      const rows = outputLines(await scene.kubectl.run(['get', 'pods', '--show-labels', '--no-headers']));
      expect(rows.map((row) => row.split(/\s+/).at(-1))).toEqual(['tier=front', 'tier=back', 'tier=front']);
    });

    test('get -o json prints one object and a list', async () => {
      const pod = await scene.kubectl.json<KubeItem>(['get', 'pod', 'one']);
      expect(pod).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one', namespace } });
      const list = await scene.kubectl.json<KubeList>(['get', 'pods']);
      expect(list.kind).toBe('List');
      expect(list.items.map((item) => [item.kind, item.metadata.name])).toEqual([
        ['Pod', 'one'],
        ['Pod', 'three'],
        ['Pod', 'two'],
      ]);
    });

    test('get -o prints name, jsonpath and custom-columns', async () => {
      expect(await scene.kubectl.run(['get', 'pods', '-o', 'name'])).toBe('pod/one\npod/three\npod/two\n');
      expect(await scene.kubectl.run(['get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}'])).toBe(
        'one three two',
      );
      expect(
        outputLines(
          await scene.kubectl.run([
            'get',
            'pods',
            '-o',
            'custom-columns=N:.metadata.name,T:.metadata.labels.tier',
          ]),
        ).map((row) => row.split(/\s+/)),
      ).toEqual([
        ['N', 'T'],
        ['one', 'front'],
        ['three', 'back'],
        ['two', 'front'],
      ]);
    });

    test('get -l selects by label', async () => {
      const select = (selector: string): Promise<string> =>
        scene.kubectl.run(['get', 'pods', '-o', 'name', '-l', selector]);
      expect(await select('tier=front')).toBe('pod/one\npod/two\n');
      expect(await select('tier!=front')).toBe('pod/three\n');
      expect(await select('tier in (back,none)')).toBe('pod/three\n');
      expect(await select('!tier')).toBe('');
    });

    test('get --field-selector selects by field', async () => {
      const select = (selector: string): Promise<string> =>
        scene.kubectl.run(['get', 'pods', '-o', 'name', '--field-selector', selector]);
      expect(await select('metadata.name=two')).toBe('pod/two\n');
      expect(await select('spec.nodeName=')).toBe('pod/one\npod/three\npod/two\n');
      expect(await select('status.phase!=Pending')).toBe('');
    });

    test('get --field-selector of an unknown field is an error', async () => {
      const { code, stderr } = await scene.kubectl.attempt([
        'get',
        'pods',
        '--field-selector',
        'spec.none=1',
      ]);
      expect(code).toBe(1);
      expect(stderr).toContain('field label not supported: spec.none');
    });

    test('label and annotate change the object and report when they do not', async () => {
      expect(await scene.kubectl.run(['label', 'pod', 'one', 'colour=red'])).toBe('pod/one labeled\n');
      expect(await scene.kubectl.run(['label', 'pod', 'one', 'colour=red'])).toBe('pod/one not labeled\n');
      const refused = await scene.kubectl.attempt(['label', 'pod', 'one', 'colour=blue']);
      expect(refused.stderr).toContain("'colour' already has a value (red), and --overwrite is false");
      await scene.kubectl.run(['label', 'pod', 'one', 'colour=blue', '--overwrite']);
      expect(await scene.kubectl.run(['annotate', 'pod', 'one', 'note=a b'])).toBe('pod/one annotated\n');
      const { metadata } = await scene.kubectl.json<KubeItem>(['get', 'pod', 'one']);
      expect(metadata.labels).toEqual({ tier: 'front', colour: 'blue' });
      expect(metadata.annotations).toEqual({ note: 'a b' });
      expect(await scene.kubectl.run(['label', 'pod', 'one', 'colour-'])).toBe('pod/one unlabeled\n');
      expect((await scene.kubectl.json<KubeItem>(['get', 'pod', 'one'])).metadata.labels).toEqual({
        tier: 'front',
      });
    });

    test('get -w prints existing objects, an addition, a change and a deletion', async () => {
      const watch = scene.kubectl.start(['get', 'pods', '-w', '--output-watch-events', '-l', 'tier=back']);
      try {
        await watch.waitFor(/^EVENT +NAME +.*\nADDED +three /);
        await scene.kubectl.run(['create', '-f', '-'], podYaml('four', 'back'));
        await watch.waitFor(/^ADDED +four /m);
        await scene.kubectl.run(['annotate', 'pod', 'four', 'seen=yes']);
        await watch.waitFor(/^MODIFIED +four /m);
        await scene.kubectl.run(['delete', 'pod', 'four']);
        const output = await watch.waitFor(/^DELETED +four /m);
        expect(output).not.toMatch(/ (one|two) /);
      } finally {
        await watch.stop();
      }
    });

    test('get -w without -o prints a row per event', async () => {
      const watch = scene.kubectl.start(['get', 'pods', '-w']);
      try {
        await watch.waitFor(/^NAME +.*\none .*\nthree .*\ntwo .*\n/);
        await scene.kubectl.run(['create', '-f', '-'], podYaml('five', 'back'));
        await watch.waitFor(/^five /m);
        await scene.kubectl.run(['delete', 'pod', 'five']);
        await watch.waitFor(/^five .*\n(.*\n)*five /m);
      } finally {
        await watch.stop();
      }
    });

    test('get -w of one object prints complete objects as JSON', async () => {
      const watch = scene.kubectl.start(['get', 'pod', 'one', '-w', '-o', 'json']);
      try {
        await watch.waitFor(/"name": "one"/);
        await scene.kubectl.run(['annotate', 'pod', 'one', 'watched=yes']);
        await watch.waitFor(/"watched": "yes"/);
      } finally {
        await watch.stop();
      }
    });

    test('delete removes objects by name and by selector, and waits until they are gone', async () => {
      expect(await scene.kubectl.run(['delete', 'pod', 'one'])).toMatch(/^pod "one" deleted/);
      const gone = await scene.kubectl.attempt(['get', 'pod', 'one']);
      expect(gone).toMatchObject({
        code: 1,
        stderr: 'Error from server (NotFound): pods "one" not found\n',
      });
      expect(await scene.kubectl.run(['delete', 'pods', '-l', 'tier=front'])).toMatch(/^pod "two" deleted/);
      expect(await scene.kubectl.run(['get', 'pods', '-o', 'name'])).toBe('pod/three\n');
      expect(await scene.kubectl.run(['delete', 'pods', '--all'])).toMatch(/^pod "three" deleted/);
      const none = await scene.kubectl.attempt(['get', 'pods']);
      expect(none).toEqual({
        code: 0,
        stdout: '',
        stderr: `No resources found in ${namespace} namespace.\n`,
      });
    });
  });
}
