// A candidate with client-go's leader election. While it is the leader it acts: each action writes its start and its
// end to a config map, conditional on the version before. Prints one JSON object per line; ends at SIGTERM.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const pause = 50 * time.Millisecond

var (
	kubeconfig = flag.String("kubeconfig", "", "path of a kubeconfig")
	namespace  = flag.String("namespace", "", "of the Lease and of the log")
	lease      = flag.String("lease", "", "name of the Lease")
	logName    = flag.String("log", "", "name of the config map that actions are written to")
	identity   = flag.String("identity", "", "identity")
	duration   = flag.Duration("lease-duration", 15*time.Second, "lease duration")
	deadline   = flag.Duration("renew-deadline", 10*time.Second, "renew deadline")
	period     = flag.Duration("retry-period", 2*time.Second, "retry period")
)

func report(event string, isLeader bool) {
	line, _ := json.Marshal(map[string]any{"event": event, "actor": *identity, "isLeader": isLeader})
	fmt.Println(string(line))
}

func main() {
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		panic(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	config.Timeout = *deadline / 2
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: *namespace, Name: *lease},
		Client:     kubernetes.NewForConfigOrDie(config).CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: *identity},
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	report("ready", false)
	// RunOrDie returns when leadership is lost: then it competes anew.
	for ctx.Err() == nil {
		var leading atomic.Bool
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock:            lock,
			LeaseDuration:   *duration,
			RenewDeadline:   *deadline,
			RetryPeriod:     *period,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(term context.Context) {
					leading.Store(true)
					report("leading", true)
					for n := 0; term.Err() == nil; n++ {
						act(term, client, n)
					}
				},
				OnStoppedLeading: func() {
					if leading.Load() {
						report("lost", false)
					}
				},
			},
		})
	}
	report("stopped", false)
}

func act(term context.Context, client kubernetes.Interface, n int) {
	logs := client.CoreV1().ConfigMaps(*namespace)
	current, err := logs.Get(term, *logName, metav1.GetOptions{})
	for _, phase := range []string{"start", "end"} {
		if err != nil || term.Err() != nil {
			break
		}
		current.Data = map[string]string{"actor": *identity, "action": strconv.Itoa(n), "phase": phase}
		current, err = logs.Update(term, current, metav1.UpdateOptions{})
		if err == nil {
			report(phase, true)
			time.Sleep(pause)
		}
	}
	if apierrors.IsConflict(err) {
		now, _ := logs.Get(term, *logName, metav1.GetOptions{})
		if now == nil || now.Data["actor"] != *identity {
			report("conflict", term.Err() == nil)
		}
	}
	if err != nil && term.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		time.Sleep(4 * pause)
	}
}
