import { PROTOBUF_VERSION } from '../../kube/protobuf-schema/table.js';
import type { Finding } from './classify-error.js';

/** Whether the protobuf schema of this package is as new as the server. Patch releases add no fields. */
export function compareWithSchema(serverVersion: string): Finding {
  const check = 'protobuf';
  const schema = PROTOBUF_VERSION.split('.', 2).join('.');
  const server = minorOf(serverVersion);
  if (server === undefined) {
    return {
      check,
      verdict: 'unknown',
      detail: `the schema is that of Kubernetes ${schema}; the server's version cannot be compared with it`,
    };
  }
  if (server <= (minorOf(PROTOBUF_VERSION) ?? 0)) {
    return { check, verdict: 'ok', detail: `the schema (Kubernetes ${schema}) is as new as the server` };
  }
  return {
    check,
    verdict: 'warn',
    fault: 'older-schema',
    detail: `the server is newer than the schema (Kubernetes ${schema}): built-in kinds with new fields are read as JSON`,
    advice: 'none needed: no field is lost; a newer version of this package reads them in protobuf again',
  };
}

/** 37 of `v1.37.1` and of `v1.37.1+k3s1`. */
function minorOf(version: string): number | undefined {
  const [, minor] = /^v?1\.(\d+)(?:[.+-]|$)/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}
