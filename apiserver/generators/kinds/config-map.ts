/** Config maps: a file, and settings one by one. */

import type { Draft, DraftContext } from '../draft.js';
import { type JsonObject, sortedMap } from '../go-json.js';
import { counterString, PADDING, variable } from '../placeholder.js';
import { appLabels, objectMeta } from './object-meta.js';

export function draftConfigMap(context: DraftContext): Draft {
  const { random } = context;
  const labels = appLabels(context);
  const annotations = {
    'meta.helm.sh/release-name': variable('app'),
    'example.com/notes': `about ${PADDING}`,
  };
  const metadata = objectMeta(context, { labels, annotations });
  const data: Record<string, string> = { generation: counterString('mutation') };
  const object: JsonObject & { metadata: JsonObject } = { metadata, data };
  const lines: string[] = ['server:', '  listen: "0.0.0.0:8080"', '  filter: level >= info && level < fatal'];
  let missing = context.missing(object) - 160;
  for (let k = 0; missing > 0; k++) {
    const value = random.words(random.between(1, 6), random.pick([' ', ', ']));
    if (k % 3 === 0) data[`${random.word()}.${random.word()}-${k}`] = value;
    else lines.push(`  ${random.word()}-${k}: ${value}`);
    missing -= value.length + 20;
  }
  data['application.yaml'] = `${lines.join('\n')}\n`;
  object['data'] = sortedMap(data);
  return {
    object,
    owners: [
      {
        manager: 'helm',
        operation: 'Update',
        time: variable('changed'),
        owns: { data, metadata: { annotations, labels } },
      },
    ],
  };
}
