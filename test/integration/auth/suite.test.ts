import { describeCredentials } from '../../credentials/credential-suite.js';
import { openEmbedded } from '../../credentials/embedded-target.js';

describeCredentials('credentials on the embedded API server', openEmbedded);
