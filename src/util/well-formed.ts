/**
 * False for a string with a lone surrogate. Part of Node 20, but not yet of the library that TypeScript assumes for it.
 */
export function isWellFormed(string: string): boolean {
  return (string as string & { isWellFormed(): boolean }).isWellFormed();
}
