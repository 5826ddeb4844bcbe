package e2e

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// sqliteWriteLock is the offset of the lock that a writer of SQLite holds, in the file that
// ends in -shm.
const sqliteWriteLock = 120

// The all-in-one stops at random moments while its disk or its store fails. Every response
// has exactly one record with the right cost.
func TestChaosStopsAllInOne(t *testing.T) {
	t.Parallel()
	if *stops == 0 {
		t.Skip("runs with make chaos")
	}
	data := filepath.Join(t.TempDir(), "data")
	disk := newDisk(t, "256m", data)
	r := newRig(t, func(t *testing.T, flags ...string) *Gateway { return start(t, data, flags...) }, "--drain-limit", stopDrainLimit)
	s := &stopRig{
		rig: r, faults: r.singleFaults(disk), names: []string{"signalbox"},
		stopAll: r.stopSingle, restart: func() { r.switchTo(r.box.Restart(r.flags...)) },
		baseOf: func(string) string { return r.box.Base },
	}
	s.run(t, *stops/2)
}

// singleFaults returns the faults of a disk that holds both the spool and the store.
func (r *rig) singleFaults(disk *disk) []dependencyFault {
	fill := func() func() { return sync.OnceFunc(disk.fill(r.box.cmd.Process.Pid)) }
	faults := []dependencyFault{
		{name: "nothing fails", begin: func() func() { return func() {} }},
		{name: "the store is locked", begin: func() func() { return r.lockStore(filepath.Join(disk.dir, "records.db-shm")) }},
	}
	if disk.mounted {
		faults = append(faults, dependencyFault{name: "the only disk is full", begin: fill, inMemory: "signalbox", endsBeforeExit: true})
	}
	return faults
}

// lockStore takes SQLite's lock for writing, as another writer would.
func (r *rig) lockStore(path string) (unlock func()) {
	r.t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(r.t, err)
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: sqliteWriteLock, Len: 1}
	require.Eventually(r.t, func() bool { return syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock) == nil }, waitTimeout, pollInterval)
	return sync.OnceFunc(func() { _ = f.Close() })
}

// stopSingle sends the signal and waits for the exit. A graceful shutdown succeeds.
func (r *rig) stopSingle(stops []processStop) {
	r.t.Helper()
	require.NoError(r.t, r.box.cmd.Process.Signal(stops[0].signal))
	if code := r.box.Wait(); stops[0].signal == syscall.SIGTERM {
		require.Zero(r.t, code, "%s", r.box.Output())
	}
}
