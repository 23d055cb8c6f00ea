import { inject } from 'vitest';
import { openRealTarget } from '../suites/informers/control-plane-target.js';
import { describeOwns } from '../suites/owns/owns-suite.js';

describeOwns('owns on the real API server', () => openRealTarget(inject('kubeConfigs').admin));
