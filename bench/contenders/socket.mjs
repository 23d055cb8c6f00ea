/** Reads the list and throws it away: what no informer can be faster than. */
import { get } from 'node:http';
import { report, startMeasuring } from './measure.mjs';

const { url } = JSON.parse(process.argv[2] ?? '{}');
const measure = startMeasuring();
let bytes = 0;
await new Promise((resolve, reject) => {
  get(`${url}/api/v1/pods?resourceVersion=0`, (response) => {
    response.on('data', (chunk) => {
      bytes += chunk.length;
    });
    response.on('end', resolve);
    response.on('error', reject);
  }).on('error', reject);
});
report({ ...measure.stop(), bytes });
