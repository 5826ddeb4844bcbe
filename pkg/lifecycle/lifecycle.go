// Package lifecycle runs the parts of a process and stops them in the reverse
// of the order in which they were given: what depends on others comes later
// and stops first, so a part can use its dependencies until its last moment.
// It knows nothing of what the parts do.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
)

// Task is one part of a process. Run works until ctx ends, then finishes in
// its own time and returns nil; an error before that stops the process.
type Task struct {
	Name string
	Run  func(ctx context.Context) error
}

// Run starts all tasks and blocks until ctx ends or one of them returns. Then
// it stops them one by one, last first, and waits for each. A panic in a task
// is an error like any other. The first error is returned.
func Run(ctx context.Context, tasks ...Task) error {
	running := make([]*handle, len(tasks))
	ended := make(chan *handle, len(tasks))
	for i, t := range tasks {
		running[i] = start(t, ended)
	}
	var first error
	select {
	case <-ctx.Done():
	case h := <-ended:
		first = h.err
		if first == nil {
			first = fmt.Errorf("%s: ended before it was told to", h.name)
		}
	}
	for i := len(running) - 1; i >= 0; i-- {
		running[i].stop()
		<-running[i].done
		if first == nil {
			first = running[i].err
		}
	}
	return first
}

type handle struct {
	name string
	stop context.CancelFunc
	done chan struct{}
	err  error
}

// start gives the task a context of its own: the process's context must not
// reach it, or all tasks would stop at once.
func start(t Task, ended chan<- *handle) *handle {
	ctx, cancel := context.WithCancel(context.Background())
	h := &handle{name: t.Name, stop: cancel, done: make(chan struct{})}
	go func() {
		h.err = guarded(ctx, t)
		ended <- h
		close(h.done)
	}()
	return h
}

func guarded(ctx context.Context, t Task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", t.Name, p, debug.Stack())
		}
	}()
	err = t.Run(ctx)
	if err == nil || errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("%s: %w", t.Name, err)
}

// Signals returns a context that ends at SIGINT or SIGTERM. A second signal
// ends the process at once: whoever sends it has no patience left. After stop
// signals do what they did before.
func Signals(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	stopped := make(chan struct{})
	go func() {
		defer signal.Stop(c)
		select {
		case <-c:
			cancel()
		case <-stopped:
			return
		}
		select {
		case <-c:
			os.Exit(1)
		case <-stopped:
		}
	}()
	return ctx, sync.OnceFunc(func() {
		close(stopped)
		cancel()
	})
}
