/** What the user typed cannot be understood: the help follows, and the exit code is 2. */
export class UsageError extends Error {}
