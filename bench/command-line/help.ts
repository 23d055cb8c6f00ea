export const HELP = `usage: npm run bench -- <case> [options]

Cases that run contenders, each in a fresh process, round by round, with every result checked:
  sync     time to synced, longest stall, CPU and memory of an informer
           [--objects 60000] [--bytes 8200]   number and size of the pods
           [--peer client-node,client-go,kube-rs,socket]   contenders beside kubeflect; client-go is client-go-protobuf and
             client-go-json, kube-rs is kube-rs-stream and kube-rs-paged; also client-go-list (JSON, no streaming list),
             kubeflect-simd and kubeflect-json (JSON by either decoder). Go and Rust programs are built on first use
           [--server embedded|real|kubeconfig]   real: the control plane of test/controlplane, filled with the pods;
             kubeconfig: your cluster, read only
           [--decoder auto|simd|json] [--encoding auto|json|protobuf] [--workers n] [--page-size n]
             [--list auto|stream|paged|full]   options of kubeflect
  sweep    page size × workers, and the best combination   [--objects 100000] [--bytes 8200] [--workers 1,2,3,4]
           [--page-size 100,250,500,1000,2000,5000] [--server embedded|real|kubeconfig] [--decoder auto|simd|json]
           [--encoding json|protobuf|auto]
  scale    time and memory per object, from 1,000 objects up   [--max 100000] [--bytes 8200] [--workers n] [--page-size n]
  watch    latency of changes from the server's write to the handler, CPU, and events per second as fast as it goes
           [--peer client-node,client-go,client-go-protobuf,kube-rs]   contenders beside kubeflect; client-go and kube-rs
             read JSON
           [--rates 50,200,1000,5000,20000,max] events per second; max: as fast as the contender reads
           [--seconds 8] at each rate [--objects 20000] [--bytes 8200]
           [--server embedded|real]   embedded: the pods of the embedded API server from a server that only feeds
             watches; real: patches to the control plane of test/controlplane
           [--handler key|object|reconcile]   what handlers do: take the key, read the object (default), or fill the work
             queue of a controller (kubeflect, client-go)
           [--encoding json|protobuf]   of kubeflect; both by default [--workers n]
           [--warm-up-events 10000] that each process handles before it is measured, 1,000 a second
  idle     CPU, wake-ups and memory of informers when nothing happens   [--informers 1,20,200] [--objects 50] of each
           [--bytes 8200] [--settle 30] [--seconds 20] [--peer client-node,client-go,client-go-protobuf]
  small    process start to synced, and memory, of small collections   [--objects 100,3000] [--bytes 8200]
           [--peer client-node,client-go,client-go-protobuf]
  slow-reader   lag of events while the program reads the whole cache over and over   [--objects 100000] [--bytes 8200]
           [--rate 5000] [--seconds 8] [--peer client-go,client-go-protobuf] [--workers n] [--warm-up-events 10000]
  relist   410 Gone with nothing changed, and with a part changed: handler calls, main-thread time   [--objects 100000]
           [--bytes 8200] [--changed 1] percent [--workers n]
  restart  a process that starts with the cache of the one before, and one that lists, in turns; and what writing costs
           [--objects 200000] [--bytes 8200] [--changes 500] a second for [--seconds 30] [--server embedded|real]
  fleet    many engines that restart at once, with caches and without: requests and bytes   [--engines 50]
           [--objects 2000] [--bytes 8200]
  memory   bytes per object, by kind: after the sync, after reading all, after every object has changed
           [--objects 60000] [--bytes 8200] [--kinds pods,nodes,configmaps,services] [--changes 3] [--per-second 2000]
           [--workers n]
  many     one informer for each of many namespaces   [--informers 500] [--objects 50000] [--bytes 8200] [--workers n]
  shards   memory, CPU and time to synced of each of several processes that share a collection by static shards
           [--objects 200000] [--bytes 8200] [--processes 1,2,4,8] [--gate on|off]   both by default
  serve    throughput of the embedded API server for a large list   [--objects 60000]

Cases that run in this process, timed by tinybench: min, median, p99 and max   [--time 1000] milliseconds per task
  fifo     the queues between reflector and store
  indexer  the store
  split    the splitters of lists and watches
  decode   documents to cells: reference decoder, SIMD decoder, protobuf, and where the time goes
  codec    packing and reading objects, beside msgpackr   [--objects 5000] [--kind Pod]

Common options: [--rounds 3]; [--warm-up 1] rounds before, not counted; [--json file] all measurements; [--html file] one
page with plots; [--docs] writes the section of this case in docs/benchmarks.md, with its plots.
Exits with code 1 if a target is not met.

npm run bench:compare -- <git ref> [--case sync|watch|memory]   compares the working tree with a commit, and fails if it
is worse by more than the noise`;
