/** One death may be chance, two bad luck. */
const DEATHS = 3;

/** More documents than this are not remembered; the oldest are forgotten. */
const MOST_DOCUMENTS = 1000;

/** On which documents threads have died, and which of them are not worth another thread. A document that changes is another one. */
export class CrashLedger {
  readonly #deaths = new Map<string, number>();

  /** By fingerprint; see src/wire/fingerprint.ts. */
  get quarantined(): string[] {
    return [...this.#deaths].filter(([, deaths]) => deaths >= DEATHS).map(([fingerprint]) => fingerprint);
  }

  note(fingerprint: string): void {
    const deaths = (this.#deaths.get(fingerprint) ?? 0) + 1;
    this.#deaths.delete(fingerprint);
    this.#deaths.set(fingerprint, deaths);
    if (this.#deaths.size <= MOST_DOCUMENTS) return;
    for (const oldest of this.#deaths.keys()) {
      this.#deaths.delete(oldest);
      return;
    }
  }
}
