import { spawnSync } from 'node:child_process';
import { startApiServer } from 'kubeflect/testing';
const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
await server.populate({ kind: 'Pod', count: 60000, sizeBytes: 8200, managedFieldsShare: 0.26 });
for (const opts of [{}, { pageSize: 5000 }]) {
  const before = (await server.requests()).at(-1)?.id ?? 0;
  const r = spawnSync(process.execPath, ['bench/_c.mjs', JSON.stringify({ kubeConfig: server.kubeConfig, url: server.url, objects: 60000, ...opts })]);
  const m = /"syncedMs":(\d+).*"stallMs":(\d+).*"cpuMs":(\d+)/.exec(r.stdout.toString());
  const rs = (await server.requests({ after: before })).filter((x) => x.verb === 'list');
  const t0 = rs[0].startedMs;
  console.log(JSON.stringify(opts), m?.slice(1).join(' '), 'first', 0, 'last end', rs.at(-1).endedMs - t0);
  console.log(rs.slice(0, 14).map((x) => `${(x.startedMs - t0).toFixed(0)}-${(x.endedMs - t0).toFixed(0)}`).join(' '));
  console.log(rs.slice(60, 74).map((x) => `${(x.startedMs - t0).toFixed(0)}-${(x.endedMs - t0).toFixed(0)}`).join(' '));
}
await server.close();
