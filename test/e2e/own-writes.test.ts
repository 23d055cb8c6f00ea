import { inject } from 'vitest';
import { openRealTarget } from '../suites/informers/control-plane-target.js';
import { describeOwnWrites } from '../suites/own-writes/own-writes-suite.js';

describeOwnWrites('own writes on the real API server', () => openRealTarget(inject('kubeConfigs').admin));
