package process_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/telemetry"
)

func TestExitCodes(t *testing.T) {
	for code, err := range map[int]error{0: nil, 1: errors.New("broken")} {
		require.Equal(t, code, process.Main("x", func(context.Context) error { return err }))
	}
	require.Equal(t, 0, process.Main("x", func(context.Context) error { return &config.Help{Usage: "usage\n"} }))
}

func TestAStopDuringTheStartIsNoFailure(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	require.Equal(t, 0, process.Main("x", func(ctx context.Context) error {
		require.NoError(t, self.Signal(syscall.SIGTERM))
		<-ctx.Done()
		return fmt.Errorf("open store: %w", ctx.Err())
	}))
}

func TestSettingsKeepTheirDefaults(t *testing.T) {
	c := process.Config{Listen: "127.0.0.1:1", Admin: "127.0.0.1:2"}
	set := config.New()
	c.Register(set)
	require.NoError(t, set.Load([]string{"--admin", ""}, nil))
	require.Equal(t, "127.0.0.1:1", c.Listen)
	require.Empty(t, c.Admin)
}

// The service runs until the context is done, and its error is the process's.
func TestRun(t *testing.T) {
	c := process.Config{Listen: "127.0.0.1:0", Telemetry: telemetry.Config{Service: "s", LogLevel: "error"}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	boom := errors.New("boom")
	err := process.Run(ctx, c, func(ctx context.Context, e process.Env) error {
		go func() {
			_ = http.Serve(e.Listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hi") }))
		}()
		res, err := http.Get("http://" + e.Listener.Addr().String())
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if e.Ready.Report().Status.Serves() {
			return errors.New("ready before it was announced")
		}
		e.MarkReady(ctx)
		if !e.Ready.Report().Status.Serves() {
			return errors.New("not ready after it was announced")
		}
		cancel()
		<-ctx.Done()
		if e.Ready.Report().Status.Serves() {
			return errors.New("still ready while stopping")
		}
		return boom
	})
	require.ErrorIs(t, err, boom)
}

func TestListenSaysWhatIsTaken(t *testing.T) {
	lis, err := process.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = lis.Close() }()
	_, err = process.Listen(t.Context(), lis.Addr().String())
	require.EqualError(t, err, "cannot listen on "+lis.Addr().String()+": bind: address already in use")
	none, err := process.Listen(t.Context(), "")
	require.NoError(t, err)
	require.Nil(t, none)
}
