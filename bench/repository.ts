/** The root of the repository, with a slash at the end. This file is compiled into dist-test/bench. */
export const ROOT: URL = new URL('..', import.meta.url.replace('/dist-test/', '/'));
