/** Lines of a command's output that are not empty. */
export function outputLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
