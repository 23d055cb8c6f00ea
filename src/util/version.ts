/** Of this package. A constant, so that bundles need no package.json; a test compares the two. */
export const VERSION = '0.1.0';
