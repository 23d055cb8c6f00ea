#!/usr/bin/env node
/**
 * `npm run bench:compare -- <git ref>`: `sync` of that commit and of the working tree, in turns, by the same measuring code.
 *
 * The base runs as two contenders. How far its own rounds lie apart is the noise of the machine; only a difference beyond it counts.
 */
import { contendersOf } from '../contenders.mjs';
import { headerLines, headerOf } from '../header.mjs';
import { optionsOf, readOptions } from '../options.mjs';
import { expectSame, runRounds } from '../rounds.mjs';
import { embeddedServer } from '../servers/embedded.mjs';
import { checkOut } from './check-out.mjs';
import { compared } from './difference.mjs';

const HELP = `usage: npm run bench:compare -- <git ref> [--objects 20000] [--bytes 8200] [--rounds 9] [--warm-up 1] [--workers n] [--page-size n]

Ends with code 1 if this working tree is slower or larger than the commit by more than the noise that was measured.`;

const [ref, ...args] = process.argv.slice(2);
if (ref === undefined || ref.startsWith('--')) {
  console.error(HELP);
  process.exit(ref === '--help' ? 0 : 2);
}
const values = optionsOf(
  args,
  {
    objects: { type: 'string', default: '20000' },
    bytes: { type: 'string', default: '8200' },
    rounds: { type: 'string', default: '9' },
    'warm-up': { type: 'string', default: '1' },
    workers: { type: 'string' },
    'page-size': { type: 'string' },
  },
  HELP,
);

const base = await checkOut(ref);
const server = await embeddedServer({ objects: Number(values.objects), bytes: Number(values.bytes) });
try {
  const [branch] = await contendersOf([]);
  const ofBase = { ...branch, command: [process.execPath, base.contender] };
  const expected = await server.expected();
  const results = await runRounds({
    contenders: [
      { ...ofBase, name: 'base' },
      { ...branch, name: 'branch' },
      { ...ofBase, name: 'base again' },
    ],
    task: { kubeConfig: server.kubeConfig, ...readOptions(values, ['workers', 'page-size']) },
    rounds: Number(values.rounds),
    warmUp: Number(values['warm-up']),
    check: (name, result) => expectSame(name, result, expected),
  });
  const header = headerOf('compare', process.argv.slice(2));
  console.log(
    headerLines({ ...header, command: `npm run bench:compare -- ${process.argv.slice(2).join(' ')}` }).join(
      '\n',
    ),
  );
  console.log(`base: ${ref} (${base.commit}); ${server.description}\n`);
  if (!print(results)) process.exitCode = 1;
} finally {
  await server.close();
  await base.remove();
}

/** Whether nothing became worse. */
function print(results) {
  const rows = compared(results);
  for (const { name, base, branch, change, noise, verdict } of rows) {
    const percent = (share) => `${(share * 100).toFixed(1)} %`;
    console.log(
      `${name}: ${base.toFixed(0)} -> ${branch.toFixed(0)}, ${change < 0 ? '' : '+'}${percent(change)} (noise ${percent(noise)}): ${verdict}`,
    );
  }
  return rows.every(({ verdict }) => verdict !== 'worse');
}
