package process_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/process/processtest"
	"github.com/signalbox/signalbox/pkg/telemetry"
)

// A probe that outlives the service would use a closed store.
func TestProbesRunAsLongAsTheService(t *testing.T) {
	c := process.Config{Listen: "127.0.0.1:0", Telemetry: telemetry.Config{Service: "s", LogLevel: "error"}}
	var asking atomic.Bool
	asked := make(chan struct{})
	tell := sync.OnceFunc(func() { close(asked) })
	p := processtest.Start(t, c, func(ctx context.Context, e process.Env) error {
		e.Probes.AddOptional("answers", func(context.Context) error { return nil })
		e.Probes.AddOptional("refuses", func(context.Context) error { return errors.New("no") })
		e.Probes.AddRequired("hangs", func(ctx context.Context) error {
			asking.Store(true)
			defer asking.Store(false)
			tell()
			<-ctx.Done()
			return nil
		})
		e.MarkReady(ctx)
		return e.Run(ctx, func(ctx context.Context) error {
			<-ctx.Done()
			if asking.Load() {
				return errors.New("the probe is still running")
			}
			return nil
		})
	})
	p.WaitForStatus(health.NotReady, "hangs", "refuses")
	<-asked
}
