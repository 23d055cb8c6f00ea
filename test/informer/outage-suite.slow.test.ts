import { openFailingEmbedded } from '../suites/informers/embedded-target.js';
import { describeOutages } from '../suites/informers/outage-suite.js';

describeOutages('informers on a failing embedded API server', openFailingEmbedded, { pods: 1000 });
