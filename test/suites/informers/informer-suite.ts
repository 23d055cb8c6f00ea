/** How informers behave with any API server that a kubeconfig names. */

import { afterEach, beforeAll, describe, test } from 'vitest';
import { CustomResource } from '../../conformance/harness/custom-resource.js';
import { InformerFixture } from './informer-fixture.js';
import type { InformerTarget } from './informer-target.js';
import { describeListAndWatch } from './list-and-watch-cases.js';
import { describeSelectors } from './selector-cases.js';
import { beginBookmarks, beginForgottenHistory, type Finish } from './waiting-cases.js';
import { describeWire } from './wire-cases.js';

export function describeInformers(name: string, open: () => Promise<InformerTarget>): void {
  describe(name, () => {
    let fixture: InformerFixture;
    /** Disposed after the last case. */
    let waiting: InformerFixture;
    let widgets: CustomResource;
    let finishHistory: Finish;
    let finishBookmarks: Finish;

    beforeAll(async () => {
      const target = await open();
      fixture = new InformerFixture(target);
      waiting = new InformerFixture(target);
      finishHistory = await beginForgottenHistory(waiting);
      finishBookmarks = await beginBookmarks(waiting);
      widgets = await CustomResource.define(target.api);
      return async () => {
        await waiting.leave();
        await widgets.remove();
        await fixture.close();
      };
    });
    afterEach(() => fixture.leave());

    describeListAndWatch(
      () => fixture,
      () => widgets,
    );
    describeWire(() => fixture);
    describeSelectors(
      () => fixture,
      () => widgets,
    );

    describe('an informer that waits for a long time', () => {
      test('advances with bookmarks, and resumes from the last one', () => finishBookmarks());
      test('relists after 410 Gone when the history of its watch has expired', () => finishHistory());
    });
  });
}
