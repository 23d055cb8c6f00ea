import { spawnSync } from 'node:child_process';
import { startApiServer } from 'kubeflect/testing';
const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
await server.populate({ kind: 'Pod', count: 60000, sizeBytes: 8200, managedFieldsShare: 0.26 });
const run = (opts, argv = [], env = {}) => { const r = spawnSync(process.execPath, [...argv, 'bench/_c.mjs', JSON.stringify({ kubeConfig: server.kubeConfig, url: server.url, objects: 60000, ...opts })], { env: { ...process.env, ...env } }); const m = /"syncedMs":(\d+).*"stallMs":(\d+).*"cpuMs":(\d+)/.exec(r.stdout.toString()); console.log(JSON.stringify(opts), argv.join(' '), m?.slice(1).join(' '), r.stderr.toString().slice(-300)); };
for (const o of [{}, {}, { pageSize: 1000 }, { pageSize: 2000 }, { list: "full" }]) run(o);
await server.close();
