export async function* findBugs(_built: URL, _steps: number): AsyncGenerator<{ name: string; seeds: number | undefined; violation?: string }> {}
