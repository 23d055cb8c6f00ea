//! A contender that is kept running: calls come as lines of JSON, and each is answered with a line of JSON.
//! ../../../contenders/driven.ts has the calls.

use std::{
    error::Error,
    hint::black_box,
    io::{self, BufRead, Write},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, ResourceExt,
    runtime::{WatchStreamExt, reflector, watcher},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{client_of, cpu_ms, digest_of};

const PAGE_SIZE: u32 = 500;

#[derive(Deserialize)]
struct Call {
    call: String,
    details: Value,
}

/// What the handler has seen: the highest version, and the time of each since the last call of `record`.
#[derive(Default)]
struct Versions {
    highest: AtomicU64,
    lists: AtomicU64,
    recording: Mutex<Recording>,
}

#[derive(Default)]
struct Recording {
    versions: Vec<u64>,
    times: Vec<f64>,
}

impl Versions {
    fn record(&self, capacity: usize) {
        *self.recording.lock().unwrap() = Recording {
            versions: Vec::with_capacity(capacity),
            times: Vec::with_capacity(capacity),
        };
    }

    fn add(&self, version: u64) {
        let mut recording = self.recording.lock().unwrap();
        if recording.versions.len() < recording.versions.capacity() {
            recording.versions.push(version);
            recording.times.push(shared_clock_ms());
        }
        self.highest.fetch_max(version, Ordering::Release);
    }
}

pub async fn drive() -> Result<(), Box<dyn Error>> {
    let versions = Arc::new(Versions::default());
    let mut store = None;
    let (mut began, mut began_cpu) = (Instant::now(), 0.0);
    for line in io::stdin().lock().lines() {
        let Call { call, details } = serde_json::from_str(&line?)?;
        let result = match call.as_str() {
            "start" => {
                store = Some(start(&details, versions.clone()).await?);
                json!({ "syncedAtMs": shared_clock_ms() })
            }
            "measure" => {
                versions.record(details["events"].as_u64().unwrap_or_default() as usize);
                (began, began_cpu) = (Instant::now(), cpu_ms());
                json!({})
            }
            "measured" => {
                let until: u64 = details["resourceVersion"].as_str().unwrap_or("0").parse()?;
                while versions.highest.load(Ordering::Acquire) < until {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                let (elapsed, cpu) = (began.elapsed().as_secs_f64() * 1000.0, cpu_ms() - began_cpu);
                let recording = versions.recording.lock().unwrap();
                json!({
                    "elapsedMs": elapsed,
                    "cpuMs": cpu,
                    "lists": versions.lists.load(Ordering::Relaxed),
                    "events": { "versions": recording.versions, "times": recording.times },
                })
            }
            "digest" => {
                let (count, digest) = digest_of(store.as_ref().ok_or("digest before start")?);
                json!({ "count": count, "digest": digest })
            }
            "end" => return Ok(()),
            _ => return Err(format!("unknown call {call}").into()),
        };
        println!("{result}");
        io::stdout().flush()?;
    }
    Ok(())
}

async fn start(task: &Value, versions: Arc<Versions>) -> Result<reflector::Store<Pod>, Box<dyn Error>> {
    let client = client_of(task["kubeConfig"].as_str().unwrap_or_default()).await?;
    let reads_object = task["handler"] == "object";
    let (store, writer) = reflector::store::<Pod>();
    let watching = watcher::Config::default().page_size(PAGE_SIZE);
    let stream = watcher(Api::<Pod>::all(client), watching)
        .default_backoff()
        .reflect(writer);
    tokio::spawn(async move {
        let mut stream = std::pin::pin!(stream);
        while let Some(event) = stream.next().await {
            match event {
                Ok(watcher::Event::Apply(pod)) => handle(&pod, reads_object, &versions),
                // After a relist, the objects of the list are what a handler gets.
                Ok(watcher::Event::InitApply(pod)) if versions.lists.load(Ordering::Relaxed) > 1 => {
                    handle(&pod, reads_object, &versions)
                }
                Ok(watcher::Event::Init) => {
                    versions.lists.fetch_add(1, Ordering::Relaxed);
                }
                Ok(_) => {}
                Err(error) => eprintln!("kube-rs: {error}"),
            }
        }
    });
    store.wait_until_ready().await?;
    Ok(store)
}

fn handle(pod: &Pod, reads_object: bool, versions: &Versions) {
    if reads_object {
        // As a controller that selects by label and acts on the node and the phase.
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
        let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
        black_box((pod.name_any(), pod.labels().get("app"), node, phase));
    } else {
        black_box((pod.metadata.namespace.as_deref(), pod.metadata.name.as_deref()));
    }
    if let Some(version) = pod.metadata.resource_version.as_deref().and_then(|version| version.parse().ok()) {
        versions.add(version);
    }
}

/// CLOCK_MONOTONIC, which all processes of a machine share.
fn shared_clock_ms() -> f64 {
    // SAFETY: clock_gettime fills the struct that it is given; all zeros is a valid one.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
        now
    };
    now.tv_sec as f64 * 1000.0 + now.tv_nsec as f64 / 1e6
}
