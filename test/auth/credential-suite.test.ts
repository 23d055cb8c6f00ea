import { describeCredentials } from '../suites/credentials/credential-suite.js';
import { openEmbedded } from '../suites/credentials/embedded-target.js';

describeCredentials('credentials on the embedded API server', openEmbedded);
