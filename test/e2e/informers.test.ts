import { inject } from 'vitest';
import { openRealTarget } from '../suites/informers/control-plane-target.js';
import { describeInformers } from '../suites/informers/informer-suite.js';

describeInformers('informers on the real API server', () => openRealTarget(inject('kubeConfigs').admin));
