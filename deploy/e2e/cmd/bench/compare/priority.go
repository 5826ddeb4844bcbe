package compare

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/procfs"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
)

// RoleSpin is the role of a process that keeps the cores from idling. spinTimeout ends it if the
// bench cannot.
const (
	RoleSpin    = "spin"
	spinTimeout = 20 * time.Minute
)

// raisePriority gives all processes of the bench realtime priority and keeps the
// cores from idling. Otherwise the latency at low rates would mostly measure the
// scheduler. If the system does not allow realtime priority, the report says so. The
// returned function undoes both changes.
func (b *bench) raisePriority(ctx context.Context) func() {
	if b.priorityErr != nil {
		return func() {}
	}
	spinner, err := rig.StartSelf(ctx, []string{"chrt", "--idle", "0"}, RoleSpin)
	if err == nil {
		err = setScheduling(ctx, spinner.PID(), "--rr", "1")
	}
	if err != nil {
		b.priorityErr = err
	}
	return func() {
		if spinner != nil {
			spinner.Stop()
		}
		if err := setScheduling(context.WithoutCancel(ctx), 0, "--other", "0"); err != nil && b.priorityErr == nil {
			b.priorityErr = err
		}
	}
}

// setScheduling sets the scheduling class of this process and all its descendants
// except one.
func setScheduling(ctx context.Context, except int, class, priority string) error {
	all, err := procfs.List()
	if err != nil {
		return err
	}
	for _, pid := range all.Tree(os.Getpid()) {
		if pid == except {
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
