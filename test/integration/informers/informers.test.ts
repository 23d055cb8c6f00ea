import { openEmbedded } from '../../informers/embedded-target.js';
import { describeInformers } from '../../informers/informer-suite.js';

describeInformers('informers on the embedded API server', openEmbedded);
