//! A reflector of kube-rs on pods: a contender of `npm run bench -- sync`.
//!
//! The task comes on standard input; the last line of standard output is the result, in the form of
//! ../../contenders/task.ts. With the argument `driven` it is kept running: see driven.rs.

mod driven;

use std::{error::Error, io, time::Instant};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, Client, Config, ResourceExt,
    config::{KubeConfigOptions, Kubeconfig},
    runtime::{WatchStreamExt, reflector, watcher},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    kube_config: String,
    list: Option<String>,
    page_size: Option<u32>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() == Some("driven") {
        return driven::drive().await;
    }
    let task: Task = serde_json::from_reader(io::stdin())?;
    let client = client_of(&task.kube_config).await?;
    let watching = match task.list.as_deref() {
        Some("paged") => watcher::Config::default().page_size(task.page_size.unwrap_or(500)),
        _ => watcher::Config::default().streaming_lists(),
    };

    let (began, began_cpu) = (Instant::now(), cpu_ms());
    let (store, writer) = reflector::store::<Pod>();
    let stream = watcher(Api::<Pod>::all(client), watching)
        .default_backoff()
        .reflect(writer);
    tokio::spawn(async move {
        let mut stream = std::pin::pin!(stream);
        while let Some(event) = stream.next().await {
            if let Err(error) = event {
                eprintln!("kube-rs: {error}");
                std::process::exit(1);
            }
        }
    });
    store.wait_until_ready().await?;
    let (synced_ms, cpu_ms) = (began.elapsed().as_secs_f64() * 1000.0, cpu_ms() - began_cpu);
    let (peak, now) = resident_mb();

    let (count, digest) = digest_of(&store);
    println!(
        "{}",
        serde_json::json!({
            "syncedMs": synced_ms,
            // It has no protobuf.
            "encoding": "json",
            "cpuMs": cpu_ms,
            "peakResidentMB": peak,
            "finalResidentMB": now,
            "count": count,
            "digest": digest,
        })
    );
    Ok(())
}

async fn client_of(kube_config: &str) -> Result<Client, Box<dyn Error>> {
    let kubeconfig = Kubeconfig::from_yaml(kube_config)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

/// sha256 over `key uid resourceVersion` lines in byte order of keys, as the server's digest makes it.
fn digest_of(store: &reflector::Store<Pod>) -> (usize, String) {
    let mut rows: Vec<(String, String)> = store
        .state()
        .iter()
        .map(|pod| {
            let key = format!("{}/{}", pod.namespace().unwrap_or_default(), pod.name_any());
            let uid = pod.uid().unwrap_or_default();
            let line = format!("{key} {uid} {}\n", pod.resource_version().unwrap_or_default());
            (key, line)
        })
        .collect();
    rows.sort();
    let mut hash = Sha256::new();
    for (_, line) in &rows {
        hash.update(line);
    }
    (rows.len(), format!("{:x}", hash.finalize()))
}

/// Of all threads, as the JavaScript contenders take it.
fn cpu_ms() -> f64 {
    // SAFETY: getrusage fills the struct that it is given; all zeros is a valid one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let ms = |time: libc::timeval| time.tv_sec as f64 * 1000.0 + time.tv_usec as f64 / 1000.0;
    ms(usage.ru_utime) + ms(usage.ru_stime)
}

/// Peak and present; zero where there is no /proc.
fn resident_mb() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
        kilobytes.unwrap_or_default() / 1024.0
    };
    (field("VmHWM:"), field("VmRSS:"))
}
