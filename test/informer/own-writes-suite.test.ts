import { openEmbedded } from '../suites/informers/embedded-target.js';
import { describeOwnWrites } from '../suites/own-writes/own-writes-suite.js';

describeOwnWrites('own writes on the embedded API server', openEmbedded);
