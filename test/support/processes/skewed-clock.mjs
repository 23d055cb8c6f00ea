// With `--import`: the wall clock of the process and of its threads is off by KUBEFLECT_SKEW_MS.
const skewMs = Number(process.env.KUBEFLECT_SKEW_MS ?? 0);
const now = Date.now.bind(Date);
Date.now = () => now() + skewMs;
