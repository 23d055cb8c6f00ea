/** `shardSelector`, an alpha feature: off in the server of the suite. test/e2e/sharding.test.ts turns it on in a real one. */

import { shardSelectorSuite } from '../../suites/sharding/selector-suite.js';
import { startEmbedded } from '../harness/embedded.js';
import { openTarget, type Target, targetOf } from '../harness/target.js';

async function openEmbedded(): Promise<Target> {
  const server = await startEmbedded({ shardedListAndWatch: true });
  return targetOf(server.kubeConfig, () => server.close());
}

shardSelectorSuite(openTarget, { isOn: false });
shardSelectorSuite(openEmbedded, { isOn: true });
