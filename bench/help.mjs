export const HELP = `usage: npm run bench -- <case> [options]

Cases that compare, each contender in a fresh process, in turns, its result checked:
  sync     time to synced, stall, CPU and memory of an informer
           [--objects 60000] [--bytes 8200]   how many pods, and how large
           [--peer client-node,client-go,kube-rs,socket]   beside kubeflect; also kubeflect-simd and kubeflect-json (JSON by
             either decoder), client-go-list, client-go-protobuf, kube-rs-stream, kube-rs-paged. Those in Go and Rust are built on first use
           [--server embedded|real|kubeconfig]   real: the control plane of test/controlplane, filled with the pods; kubeconfig: yours, read only
           [--decoder auto|simd|json] [--encoding auto|json|protobuf] [--workers n] [--page-size n] [--list auto|stream|paged|full]   of kubeflect
  sweep    page size × workers, and the best of them named   [--objects 100000] [--bytes 8200] [--workers 1,2,3,4]
           [--page-size 100,250,500,1000,2000,5000] [--server embedded|real|kubeconfig] [--decoder auto|simd|json] [--encoding json|protobuf|auto]
  scale    whether time and memory an object stay the same from 1,000 objects up   [--max 100000] [--bytes 8200] [--workers n] [--page-size n]
  watch    events a second into handlers, and their latency from the write of the server   [--rates 1000,5000,20000,40000,60000] [--seconds 5]
           [--objects 50000] [--bytes 8200] [--workers n] [--encoding auto|json|protobuf]
  relist   410 Gone with nothing changed, and with a part changed: handler calls, main-thread time   [--objects 100000] [--bytes 8200]
           [--changed 1] per cent [--workers n]
  memory   bytes an object, by kind: after the sync, after reading all, after every object has changed   [--objects 60000] [--bytes 8200]
           [--kinds pods,nodes,configmaps,services] [--changes 3] [--per-second 2000] [--workers n]
  many     an informer for each of many namespaces   [--informers 500] [--objects 50000] [--bytes 8200] [--workers n]

Common options: [--rounds 3] [--warm-up 1] rounds before, not counted; [--json file] everything measured; [--html file] one page
with plots; [--docs] the section of this case in docs/benchmarks.md, with its plots.
A figure that was promised and not met ends with code 1
npm run bench:compare -- <git ref>   this working tree beside another commit, failing past the noise that was measured

Cases that look inside:
  fifo, indexer, split   the queues, the store and the splitters, timed by tinybench   [--time 1000] milliseconds for each
  decode   documents to cells: reference and SIMD decoder, protobuf, and where the time goes
  codec    how objects are packed and read, beside msgpackr        [--objects 5000] [--kind Pod]
  serve    how fast the embedded API server serves a large list   [--objects 60000]`;
