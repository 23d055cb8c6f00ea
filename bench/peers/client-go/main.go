// A shared informer of client-go on pods, with one handler: a contender of `npm run bench -- sync`.
//
// The task comes on standard input; the last line of standard output is the result. ../../contenders/task.ts has both.
// With the argument `driven` it is kept running: see driven.go.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
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
	// Encoding is that of the responses, not of the request.
	Encoding        string  `json:"encoding"`
	SyncedMs        float64 `json:"syncedMs"`
	CPUMs           float64 `json:"cpuMs"`
	PeakResidentMB  float64 `json:"peakResidentMB"`
	FinalResidentMB float64 `json:"finalResidentMB"`
	HeapMB          float64 `json:"heapMB"`
	Count           int     `json:"count"`
	Digest          string  `json:"digest"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "driven" {
		if err := drive(os.Stdin, os.Stdout); err != nil {
			log.Fatalf("client-go: %v", err)
		}
		return
	}
	task, err := readTask(os.Stdin)
	if err != nil {
		log.Fatalf("client-go: %v", err)
	}
	measured, err := run(task)
	if err != nil {
		log.Fatalf("client-go: %v", err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(measured); err != nil {
		log.Fatalf("client-go: %v", err)
	}
}

func readTask(from io.Reader) (task, error) {
	task := task{Encoding: "json"}
	err := json.NewDecoder(from).Decode(&task)
	return task, err
}

func clientOf(task task) (kubernetes.Interface, *encodings, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(task.KubeConfig))
	if err != nil {
		return nil, nil, err
	}
	// By default client-go requests protobuf for built-in kinds; here each encoding is requested explicitly.
	config.ContentType, config.AcceptContentTypes = "application/json", "application/json"
	if task.Encoding == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	// Hundreds of informers start at once: the default of five requests a second would be what is measured.
	config.QPS = -1
	seen := &encodings{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &recorder{next, seen} })
	client, err := kubernetes.NewForConfig(config)
	return client, seen, err
}

func run(task task) (result, error) {
	client, seen, err := clientOf(task)
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
		// WaitForCacheSync polls every 100 ms: too coarse for a measurement.
		time.Sleep(time.Millisecond)
	}
	measured := result{SyncedMs: msSince(began), CPUMs: cpuMs() - beganCPU}
	measured.PeakResidentMB, measured.FinalResidentMB = residentMB()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	measured.HeapMB = float64(memory.HeapAlloc) / (1 << 20)
	objects := informer.GetStore().List()
	if int(added.Load()) != len(objects) {
		return result{}, fmt.Errorf("the handler was called for %d objects, the cache holds %d", added.Load(), len(objects))
	}
	measured.Count, measured.Digest = len(objects), digestOf(objects)
	measured.Encoding, err = seen.only()
	return measured, err
}

// encodings counts the successful responses by their content type, and those that are lists.
type encodings struct {
	json, protobuf, lists atomic.Int64
}

// only returns the encoding of all responses, or an error if they differ.
func (e *encodings) only() (string, error) {
	switch json, protobuf := e.json.Load(), e.protobuf.Load(); {
	case protobuf > 0 && json == 0:
		return "protobuf", nil
	case json > 0 && protobuf == 0:
		return "json", nil
	default:
		return "", fmt.Errorf("%d responses in JSON and %d in protobuf", json, protobuf)
	}
}

type recorder struct {
	next http.RoundTripper
	seen *encodings
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusOK {
		if query := request.URL.Query(); !query.Has("watch") || query.Has("sendInitialEvents") {
			r.seen.lists.Add(1)
		}
		if strings.HasPrefix(response.Header.Get("Content-Type"), "application/vnd.kubernetes.protobuf") {
			r.seen.protobuf.Add(1)
		} else {
			r.seen.json.Add(1)
		}
	}
	return response, err
}

// sha256 over the lines `key uid resourceVersion`, in byte order of keys, like the server's digest.
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

// Of all threads, like that of the JavaScript contenders.
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
