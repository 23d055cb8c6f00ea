/**
 * Property tests look at other values in every run, so that they go on finding things; a failure prints its seed.
 * In CI they look at the same ones each time: whether a change lands must not depend on chance. `FAST_CHECK_SEED` picks a seed.
 */
import fc from 'fast-check';

const SEED_OF_CI = 20_261_117;

const asked = process.env['FAST_CHECK_SEED'];
if (asked !== undefined) fc.configureGlobal({ seed: Number(asked) });
else if (process.env['CI'] !== undefined) fc.configureGlobal({ seed: SEED_OF_CI });
