/** What informers must do with an API server, for any that a kubeconfig leads to. */

import { afterEach, beforeAll, describe, test } from 'vitest';
import { CustomResource } from '../../conformance/harness/custom-resource.js';
import { InformerScene } from './informer-scene.js';
import type { InformerTarget } from './informer-target.js';
import { describeMirrors } from './mirror-cases.js';
import { describeSelectors } from './selector-cases.js';
import { beginBookmarks, beginForgottenHistory, type Finish } from './waiting-cases.js';
import { describeWire } from './wire-cases.js';

export function describeInformers(name: string, open: () => Promise<InformerTarget>): void {
  describe(name, () => {
    let scene: InformerScene;
    /** What outlives a case. */
    let waiting: InformerScene;
    let widgets: CustomResource;
    let finishHistory: Finish;
    let finishBookmarks: Finish;

    beforeAll(async () => {
      const target = await open();
      scene = new InformerScene(target);
      waiting = new InformerScene(target);
      finishHistory = await beginForgottenHistory(waiting);
      finishBookmarks = await beginBookmarks(waiting);
      widgets = await CustomResource.define(target.api);
      return async () => {
        await waiting.leave();
        await widgets.remove();
        await scene.close();
      };
    });
    afterEach(() => scene.leave());

    describeMirrors(
      () => scene,
      () => widgets,
    );
    describeWire(() => scene);
    describeSelectors(
      () => scene,
      () => widgets,
    );

    describe('an informer that had to wait', () => {
      test('for bookmarks is moved on by them, and goes on from the last one', () => finishBookmarks());
      test('until its history was forgotten is told 410, and lists again', () => finishHistory());
    });
  });
}
