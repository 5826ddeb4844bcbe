package alert_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
)

// crashStep is the environment variable that turns the test into the process that is killed.
const crashStep = "SIGNALBOX_TEST_ALERT_CRASH"

// TestKillNineLosesNothing kills a process at three moments: after it has decided, after it has
// taken the delivery, and after it has sent the message. Another process then delivers. In the
// last case the message arrives twice, with the same id.
func TestKillNineLosesNothing(t *testing.T) {
	if step := os.Getenv(crashStep); step != "" {
		crashAt(t, step, os.Getenv(crashStep+"_STORE"))
		return
	}
	for _, step := range []string{"decided", "taken", "sent"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "records.db")
			sent := runUntilKilled(t, step, file)
			w := newWorld(t, sqldb.SQLiteURL(file))
			w.now = noon.Add(time.Hour) // after every lease
			w.value = 90
			require.NoError(t, w.evaluator("two").Round(t.Context()))
			require.Equal(t, []string{alert.TypeFiring}, w.deliver())
			if step == "sent" {
				require.Equal(t, sent, w.got[0].ID)
			}
			require.Empty(t, w.deliver())
		})
	}
}

// runUntilKilled starts this test as another process, waits until it is at the step, and kills
// it. It returns the id of the message that the process has sent.
func runUntilKilled(t *testing.T, step, file string) string {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKillNineLosesNothing$")
	cmd.Env = append(os.Environ(), crashStep+"="+step, crashStep+"_STORE="+file)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var id string
	_, err = fmt.Fscanf(out, "ready %s\n", &id)
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Kill())
	require.ErrorContains(t, cmd.Wait(), "killed")
	return strings.TrimSpace(id)
}

// stopper is a receiver at which the process stops.
type stopper struct{ at func(m alert.Message) }

func (s stopper) Send(_ context.Context, _ alert.Channel, m alert.Message) error {
	s.at(m)
	return nil
}

func crashAt(t *testing.T, step, file string) {
	stop := func(id string) {
		fmt.Printf("ready %s\n", id)
		select {} // until the parent kills this process
	}
	w := newWorld(t, sqldb.SQLiteURL(file))
	w.add(alert.QuietHours{})
	w.pass(2*time.Minute, 90)
	if step == "decided" {
		stop("-")
	}
	d := w.deliverer()
	d.Sender = stopper{func(m alert.Message) {
		if step == "taken" {
			stop("-")
		}
		stop(m.ID) // the receiver has the message, but the store does not know it
	}}
	_, err := d.DeliverDue(t.Context())
	require.NoError(t, err)
}
