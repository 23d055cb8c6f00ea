// A shared informer of client-go on pods, with one handler: a contender of `npm run bench -- sync`.
//
// The task comes on standard input; the last line of standard output is the result, in the form of ../../contenders/measure.mjs.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type task struct {
	KubeConfig string `json:"kubeConfig"`
	Encoding   string `json:"encoding"`
}

type result struct {
	SyncedMs        float64 `json:"syncedMs"`
	CPUMs           float64 `json:"cpuMs"`
	PeakResidentMB  float64 `json:"peakResidentMB"`
	FinalResidentMB float64 `json:"finalResidentMB"`
	HeapMB          float64 `json:"heapMB"`
	Count           int     `json:"count"`
	Digest          string  `json:"digest"`
}

func main() {
	given, err := readTask(os.Stdin)
	if err != nil {
		log.Fatalf("client-go: %v", err)
	}
	measured, err := run(given)
	if err != nil {
		log.Fatalf("client-go: %v", err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(measured); err != nil {
		log.Fatalf("client-go: %v", err)
	}
}

func readTask(from io.Reader) (task, error) {
	given := task{Encoding: "json"}
	err := json.NewDecoder(from).Decode(&given)
	return given, err
}

func run(given task) (result, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(given.KubeConfig))
	if err != nil {
		return result{}, err
	}
	// Left alone, client-go asks for protobuf where the server has it.
	config.ContentType, config.AcceptContentTypes = "application/json", "application/json"
	if given.Encoding == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return result{}, err
	}
	began, beganCPU := time.Now(), cpuMs()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	informer := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	var added atomic.Int64
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { added.Add(1) },
	})
	if err != nil {
		return result{}, err
	}
	go informer.Run(ctx.Done())
	for !informer.HasSynced() || !handler.HasSynced() {
		// WaitForCacheSync looks every 100 ms: too coarse for a measurement.
		time.Sleep(time.Millisecond)
	}
	measured := result{SyncedMs: msSince(began), CPUMs: cpuMs() - beganCPU}
	measured.PeakResidentMB, measured.FinalResidentMB = residentMB()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	measured.HeapMB = float64(memory.HeapAlloc) / (1 << 20)
	objects := informer.GetStore().List()
	if int(added.Load()) != len(objects) {
		return result{}, fmt.Errorf("the handler was told of %d objects, the cache holds %d", added.Load(), len(objects))
	}
	measured.Count, measured.Digest = len(objects), digestOf(objects)
	return measured, nil
}

// sha256 over `key uid resourceVersion` lines in byte order of keys, as the server's digest makes it.
func digestOf(objects []any) string {
	lines := make(map[string]string, len(objects))
	keys := make([]string, 0, len(objects))
	for _, object := range objects {
		pod := object.(*corev1.Pod)
		key := pod.Namespace + "/" + pod.Name
		keys = append(keys, key)
		lines[key] = fmt.Sprintf("%s %s %s\n", key, pod.UID, pod.ResourceVersion)
	}
	sort.Strings(keys)
	hash := sha256.New()
	for _, key := range keys {
		io.WriteString(hash, lines[key])
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

func msSince(began time.Time) float64 {
	return float64(time.Since(began).Microseconds()) / 1000
}

// Of all threads, as the JavaScript contenders take it.
func cpuMs() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatalf("client-go: %v", err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

// Zero where there is no /proc.
func residentMB() (peak, now float64) {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kilobytes, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "VmHWM:":
			peak = kilobytes / 1024
		case "VmRSS:":
			now = kilobytes / 1024
		}
	}
	return peak, now
}
