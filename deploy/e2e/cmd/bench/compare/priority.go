package compare

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// RoleSpin is the role of a process that keeps the cores from idling. spinTimeout ends it if the
// bench cannot.
const (
	RoleSpin    = "spin"
	spinTimeout = 20 * time.Minute
)

// raisePriority gives the processes that a request passes through realtime priority and keeps
// the cores from idling. Otherwise the latency at low rates would mostly measure the scheduler.
// The others, such as Redis, Postgres and the dashboard, keep their priority: in production they
// run on other machines, and here they would take the cores from the request. If the system does
// not allow realtime priority, the report says so. The returned function undoes both changes.
func (b *bench) raisePriority(ctx context.Context) func() {
	if b.priorityErr != nil {
		return func() {}
	}
	spinner, err := rig.StartSelf(ctx, []string{"chrt", "--idle", "0"}, RoleSpin)
	if err == nil {
		err = setScheduling(ctx, append(b.processesOffPath(), spinner.PID()), "--rr", "1")
	}
	if err != nil {
		b.priorityErr = err
	}
	return func() {
		if spinner != nil {
			spinner.Stop()
		}
		if err := setScheduling(context.WithoutCancel(ctx), nil, "--other", "0"); err != nil && b.priorityErr == nil {
			b.priorityErr = err
		}
	}
}

// processesOffPath returns the processes of the gateway that no request waits for.
func (b *bench) processesOffPath() (pids []int) {
	if b.box == nil {
		return nil
	}
	for name, pid := range b.box.Others {
		if name != rig.Router {
			pids = append(pids, pid)
		}
	}
	return pids
}

// setScheduling sets the scheduling class of this process and all its descendants, except for
// some processes and their descendants.
func setScheduling(ctx context.Context, except []int, class, priority string) error {
	all, err := procfs.List()
	if err != nil {
		return err
	}
	var spared []int
	for _, pid := range except {
		spared = append(spared, all.Tree(pid)...)
	}
	for _, pid := range all.Tree(os.Getpid()) {
		if slices.Contains(spared, pid) {
			continue
		}
		out, err := exec.CommandContext(ctx, "chrt", "--all-tasks", class, "--pid", priority, strconv.Itoa(pid)).CombinedOutput()
		if _, gone := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil && gone == nil {
			return fmt.Errorf("chrt: %w: %s", err, out)
		}
	}
	return nil
}

// KeepCoresBusy keeps every core busy. It runs at the lowest priority.
func KeepCoresBusy(ctx context.Context, _ net.Listener) error {
	for range runtime.NumCPU() {
		go func() {
			for end := time.Now().Add(spinTimeout); ctx.Err() == nil && time.Now().Before(end); {
			}
		}()
	}
	<-ctx.Done()
	return nil
}
