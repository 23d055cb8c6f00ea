import type { Metrics, ValueMetric } from './metrics.js';

/** client-go's code of a request without a response: error messages would be labels without end. */
const NO_RESPONSE = '<error>';

/** Counts requests to API servers, under client-go's name and with its labels. */
export class RestClientMetrics {
  readonly #requests: ValueMetric;

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(
      'rest_client_requests_total',
      'HTTP requests to API servers, by status code, method and host.',
    );
  }

  /** `code`: undefined if there was no response. Of the server's address, only host and port become a label. */
  count(method: string, server: string, code: number | undefined): void {
    const labels = { code: code === undefined ? NO_RESPONSE : String(code), method, host: hostOf(server) };
    this.#requests.labels(labels).increment();
  }
}

function hostOf(server: string): string {
  return URL.canParse(server) ? new URL(server).host : 'none';
}
