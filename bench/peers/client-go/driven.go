package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// A contender that is kept running: calls come as lines of JSON, and each is answered with a line of JSON.
// ../../contenders/driven.ts has the calls.
func drive(from io.Reader, to io.Writer) error {
	calls, results := json.NewDecoder(from), json.NewEncoder(to)
	driven := &driven{ctx: context.Background()}
	for {
		var next struct {
			Call    string          `json:"call"`
			Details json.RawMessage `json:"details"`
		}
		if err := calls.Decode(&next); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if next.Call == "end" {
			return nil
		}
		answered, err := driven.answer(next.Call, next.Details)
		if err != nil {
			return err
		}
		if err := results.Encode(answered); err != nil {
			return err
		}
	}
}

type driven struct {
	ctx       context.Context
	informers []cache.SharedIndexInformer
	seen      *encodings
	versions  versions
	began     time.Time
	beganCPU  float64
	// By readContinuously.
	objectsRead atomic.Int64
}

type drivenTask struct {
	task
	Handler    string   `json:"handler"`
	Namespaces []string `json:"namespaces"`
}

func (d *driven) answer(call string, details json.RawMessage) (any, error) {
	switch call {
	case "start":
		task := drivenTask{task: task{Encoding: "json"}, Handler: "key"}
		if err := json.Unmarshal(details, &task); err != nil {
			return nil, err
		}
		return d.start(task)
	case "measure":
		var measure struct {
			Events int `json:"events"`
		}
		if err := json.Unmarshal(details, &measure); err != nil {
			return nil, err
		}
		d.versions.record(measure.Events)
		d.objectsRead.Store(0)
		d.began, d.beganCPU = time.Now(), cpuMs()
		return struct{}{}, nil
	case "measured":
		var until struct {
			ResourceVersion int64 `json:"resourceVersion,string"`
		}
		if err := json.Unmarshal(details, &until); err != nil {
			return nil, err
		}
		return d.measured(until.ResourceVersion)
	case "readContinuously":
		go d.readContinuously()
		return struct{}{}, nil
	case "digest":
		objects := []any{}
		for _, informer := range d.informers {
			objects = append(objects, informer.GetStore().List()...)
		}
		return map[string]any{"count": len(objects), "digest": digestOf(objects)}, nil
	default:
		return nil, fmt.Errorf("unknown call %s", call)
	}
}

func (d *driven) start(task drivenTask) (any, error) {
	client, seen, err := clientOf(task.task)
	if err != nil {
		return nil, err
	}
	d.seen = seen
	namespaces := task.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	var handlers []cache.ResourceEventHandlerRegistration
	for _, namespace := range namespaces {
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
		informer := factory.Core().V1().Pods().Informer()
		handler, err := informer.AddEventHandler(d.handlerOf(task.Handler, informer))
		if err != nil {
			return nil, err
		}
		d.informers, handlers = append(d.informers, informer), append(handlers, handler)
		go informer.Run(d.ctx.Done())
	}
	for i, informer := range d.informers {
		for !informer.HasSynced() || !handlers[i].HasSynced() {
			// WaitForCacheSync polls every 100 ms: too coarse for a measurement.
			time.Sleep(time.Millisecond)
		}
	}
	return map[string]float64{"syncedAtMs": sharedClockMs()}, nil
}

func (d *driven) handlerOf(kind string, informer cache.SharedIndexInformer) cache.ResourceEventHandler {
	if kind == "reconcile" {
		return d.workqueueOf(informer)
	}
	return cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, object any) {
			pod := object.(*corev1.Pod)
			if kind == "object" {
				readAsController(pod)
			} else if key, err := cache.MetaNamespaceKeyFunc(object); err == nil {
				read.Add(int64(len(key)))
			}
			d.versions.add(pod.ResourceVersion)
		},
	}
}

// The pattern of every controller: handlers fill the queue, and a worker reconciles.
func (d *driven) workqueueOf(informer cache.SharedIndexInformer) cache.ResourceEventHandler {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	go func() {
		for {
			key, isShutDown := queue.Get()
			if isShutDown {
				return
			}
			if object, exists, err := informer.GetStore().GetByKey(key); err == nil && exists {
				pod := object.(*corev1.Pod)
				d.versions.add(pod.ResourceVersion)
				readAsController(pod)
			}
			queue.Forget(key)
			queue.Done(key)
		}
	}()
	add := func(object any) {
		if key, err := cache.MetaNamespaceKeyFunc(object); err == nil {
			queue.Add(key)
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, object any) { add(object) }}
}

func (d *driven) measured(version int64) (any, error) {
	for d.versions.highest.Load() < version {
		time.Sleep(5 * time.Millisecond)
	}
	elapsed, cpu := msSince(d.began), cpuMs()-d.beganCPU
	if _, err := d.seen.only(); err != nil {
		return nil, err
	}
	return map[string]any{
		"elapsedMs":   elapsed,
		"cpuMs":       cpu,
		"events":      d.versions.recorded(),
		"lists":       d.seen.lists.Load(),
		"objectsRead": d.objectsRead.Load(),
	}, nil
}

func (d *driven) readContinuously() {
	for d.ctx.Err() == nil {
		for _, informer := range d.informers {
			for _, object := range informer.GetStore().List() {
				readAsController(object.(*corev1.Pod))
				d.objectsRead.Add(1)
			}
		}
	}
}

// What handlers have read, so that reading is not optimized away.
var read atomic.Int64

// As a controller that selects by label and acts on the node and the phase.
func readAsController(pod *corev1.Pod) {
	read.Add(int64(len(pod.Name) + len(pod.Labels["app"]) + len(pod.Spec.NodeName) + len(pod.Status.Phase)))
}

// versions has what the handler has seen: the highest version, and the time of each since the last call of record.
// One goroutine adds.
type versions struct {
	highest atomic.Int64
	current atomic.Pointer[recording]
}

type recording struct {
	Versions []int64   `json:"versions"`
	Times    []float64 `json:"times"`
}

func (v *versions) record(capacity int) {
	v.current.Store(&recording{make([]int64, 0, capacity), make([]float64, 0, capacity)})
}

func (v *versions) add(resourceVersion string) {
	version, err := strconv.ParseInt(resourceVersion, 10, 64)
	if err != nil {
		return
	}
	if current := v.current.Load(); current != nil && len(current.Versions) < cap(current.Versions) {
		current.Versions = append(current.Versions, version)
		current.Times = append(current.Times, sharedClockMs())
	}
	// Last: what has been seen has been recorded.
	if version > v.highest.Load() {
		v.highest.Store(version)
	}
}

func (v *versions) recorded() *recording {
	return v.current.Load()
}

var clockOffset = func() time.Duration {
	return time.Duration(monotonicNanoseconds())
}()
var clockBase = time.Now()

// CLOCK_MONOTONIC, which all processes of a machine share. Go reads the same clock without a system call, but does not
// show its origin.
func sharedClockMs() float64 {
	return float64(clockOffset+time.Since(clockBase)) / 1e6
}

func monotonicNanoseconds() int64 {
	const clockMonotonic = 1
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}
