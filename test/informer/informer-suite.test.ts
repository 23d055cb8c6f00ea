import { openEmbedded } from '../suites/informers/embedded-target.js';
import { describeInformers } from '../suites/informers/informer-suite.js';

describeInformers('informers on the embedded API server', openEmbedded);
