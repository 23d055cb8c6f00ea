import { inject } from 'vitest';
import { openRealTarget } from '../informers/control-plane-target.js';
import { describeInformers } from '../informers/informer-suite.js';

describeInformers('informers on the real API server', () => openRealTarget(inject('kubeConfigs').admin));
