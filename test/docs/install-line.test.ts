import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

const documents = [
  'README.md',
  'examples/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

it.each(documents)('%s says how to install client-node if its programs import it', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const isImported =
    document.startsWith('examples/') || /^import .* from '@kubernetes\/client-node'/m.test(text);
  expect(isImported && !text.includes('npm install kubeflect @kubernetes/client-node')).toBe(false);
});
