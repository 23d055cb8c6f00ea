import { expect, it } from 'vitest';
import { sourceFiles } from '../support/source/source-files.js';

const SLEEP = /\bsleep\((?!POLL_INTERVAL_MS)|setTimeout\((resolve|done)\b/;
const COMMENT = /^\s*(\/\/|\*|\/\*\*)/;

it('tests wait for a fixed time only where a comment on the line before gives the reason', () => {
  const unexplained = sourceFiles('test').flatMap(({ path, text }) => {
    const lines = text.split('\n');
    return lines.flatMap((line, index) => {
      const isExplained = COMMENT.test(line) || COMMENT.test(lines[index - 1] ?? '');
      return SLEEP.test(line) && !isExplained ? [`${path}:${index + 1}`] : [];
    });
  });
  expect(unexplained, 'poll instead (expect.poll), or write the reason').toEqual([]);
});
