import { openFailingEmbedded } from '../../informers/embedded-target.js';
import { describeOutages } from '../../informers/outage-suite.js';

describeOutages('informers on a failing embedded API server', openFailingEmbedded, { pods: 1000 });
