import { openEmbedded } from '../suites/informers/embedded-target.js';
import { describeOwns } from '../suites/owns/owns-suite.js';

describeOwns('owns on the embedded API server', openEmbedded);
