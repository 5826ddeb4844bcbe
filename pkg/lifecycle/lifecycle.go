// Package lifecycle runs the tasks of a process and stops them in reverse order. List each task
// after the tasks that it depends on. Then a task stops before its dependencies and can use them
// until it has stopped.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"sync"
	"syscall"
)

// Task is one part of a process. Its Run must work until ctx is done, and then clean up and return
// nil. If Run returns earlier, the process stops.
type Task struct {
	Name string
	Run  func(ctx context.Context) error
}

// Run starts all tasks and waits until ctx is done or one task returns. Then it stops the tasks one
// by one, the last task first, and waits for each. Run returns the first error. A panic counts as
// an error. A task that returns nil before ctx is done counts as an error too.
func Run(ctx context.Context, tasks ...Task) error {
	running := make([]*runningTask, len(tasks))
	ended := make(chan *runningTask, len(tasks))
	for i, t := range tasks {
		running[i] = startTask(t, ended)
	}
	var first error
	select {
	case <-ctx.Done():
	case t := <-ended:
		first = t.err
		if first == nil {
			first = fmt.Errorf("%s: stopped unexpectedly", t.name)
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

type runningTask struct {
	name string
	stop context.CancelFunc
	done chan struct{}
	err  error
}

// startTask runs the task with its own context. With a shared context, all tasks would stop at the
// same time.
func startTask(t Task, ended chan<- *runningTask) *runningTask {
	ctx, cancel := context.WithCancel(context.Background())
	running := &runningTask{name: t.Name, stop: cancel, done: make(chan struct{})}
	go func() {
		running.err = runRecovered(ctx, t)
		ended <- running
		close(running.done)
	}()
	return running
}

func runRecovered(ctx context.Context, t Task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", t.Name, p, debug.Stack())
		}
	}()
	err = t.Run(ctx)
	if err == nil || ctx.Err() != nil && isOnlyCancelled(err) {
		return nil
	}
	return fmt.Errorf("%s: %w", t.Name, err)
}

// joinedType is the type of the errors that errors.Join returns.
var joinedType = reflect.TypeOf(errors.Join(context.Canceled))

// isOnlyCancelled reports whether err only says that the context was cancelled. A failure that
// is joined with the cancellation, such as one of the clean-up, is an error of its own.
func isOnlyCancelled(err error) bool {
	if !errors.Is(err, context.Canceled) {
		return false
	}
	if reflect.TypeOf(err) != joinedType {
		inner := errors.Unwrap(err)
		return inner == nil || !errors.Is(inner, context.Canceled) || isOnlyCancelled(inner)
	}
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() { //nolint:forcetypeassert // its type is known
		if !isOnlyCancelled(e) {
			return false
		}
	}
	return true
}

// NotifySignals returns a context that SIGINT or SIGTERM cancels. A second signal exits the process
// immediately. After stop is called, signals have their default effect again.
func NotifySignals(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
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
