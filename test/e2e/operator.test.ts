import { inject } from 'vitest';
import { describeOperator } from '../suites/operator/operator-suite.js';
import { OperatorTarget } from '../suites/operator/operator-target.js';

describeOperator('the example operator on the real API server', {
  objects: 500,
  open: () => OperatorTarget.open(inject('kubeConfigs').admin),
});
