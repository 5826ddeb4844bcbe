package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	// startTimeout is long, because servers start slowly on a loaded machine.
	startTimeout = 60 * time.Second
	// stopTimeout is how long a server may take to stop. After this time, it is killed.
	stopTimeout = 10 * time.Second
)

// thread returns a channel of functions that run on one system thread. The thread lives as long as the
// process. Linux sends the parent death signal already when the thread that started the child ends. So
// children must not be started on a thread that the Go runtime may end.
var thread = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
		}
	}()
	return calls
})

type process struct {
	cmd    *exec.Cmd
	exited chan struct{}
}

// startProcess starts cmd with its output in the log of dir. The child receives the signal atDeath when
// this process dies.
func startProcess(cmd *exec.Cmd, dir *directory, atDeath syscall.Signal) (*process, error) {
	log, err := os.OpenFile(dir.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	dieWithParent(cmd, atDeath)
	started := make(chan error)
	thread() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// awaitReady waits until probe succeeds. It returns an error at once if the process exits, for example
// because its port is in use.
func (p *process) awaitReady(probe func() error) error {
	limit := time.After(startTimeout)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := probe()
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("the process exited: %s", p.cmd.ProcessState)
		case <-limit:
			return fmt.Errorf("not ready after %s: %w", startTimeout, err)
		case <-tick.C:
		}
	}
}

// awaitSuccess waits until the process exits, and kills it after startTimeout. It returns an error unless
// the exit code is 0.
func (p *process) awaitSuccess() error {
	select {
	case <-p.exited:
	case <-time.After(startTimeout):
		p.stop(syscall.SIGKILL)
	}
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("the process exited: %s", p.cmd.ProcessState)
	}
	return nil
}

func (p *process) stop(how syscall.Signal) {
	_ = p.cmd.Process.Signal(how)
	select {
	case <-p.exited:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}
