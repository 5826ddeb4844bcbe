package proxy

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime/debug"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

func (c *Config) gate() gate.Limits {
	return gate.Limits{
		Requests: c.MaxRequests, Bytes: within(c.MaxBytes, debug.SetMemoryLimit(-1)), Queue: c.QueueRequests, Wait: c.QueueWait,
	}
}

// within is how much memory bodies may have: as much as is set, and at most two
// fifths of all that the process may have. The rest is for what becomes of them.
func within(bytes, memory int64) int64 {
	if memory == math.MaxInt64 {
		return bytes
	}
	most := memory / 5 * 2
	if bytes == 0 {
		return most
	}
	return min(bytes, most)
}

// openLimits makes what holds callers to their limits. The only proxy that
// there is remembers by itself what was used.
func (s *Service) openLimits() (err error) {
	d := limits.Deps{Proxies: 1, Path: filepath.Join(s.cfg.Data, "limits"), Log: s.deps.Log}
	if s.deps.Counters != nil {
		d = limits.Deps{Proxies: int(s.cfg.Proxies), Counters: s.deps.Counters, Patience: s.cfg.LimitsTimeout, Log: s.deps.Log}
	}
	s.keeper, err = limits.New(d)
	return err
}

// measureGate shows what is inside.
func measureGate(m metric.Meter, g *gate.Gate) error {
	running, err := m.Int64ObservableGauge("signalbox_requests_running", metric.WithDescription("Requests that are inside."))
	waiting, err1 := m.Int64ObservableGauge("signalbox_requests_waiting", metric.WithDescription("Requests that wait for a place."))
	bytes, err2 := m.Int64ObservableGauge("signalbox_bodies_size", metric.WithUnit("By"), metric.WithDescription("Memory of the bodies of requests that are inside."))
	if err := errors.Join(err, err1, err2); err != nil {
		return err
	}
	_, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		l := g.Load()
		o.ObserveInt64(running, l.Requests)
		o.ObserveInt64(waiting, l.Waiting)
		o.ObserveInt64(bytes, l.Bytes)
		return nil
	}, running, waiting, bytes)
	return err
}

// measureLimits shows how the counters of limits are doing, where they are
// shared.
func (s *Service) measureLimits(m metric.Meter) error {
	if s.deps.Counters == nil {
		return nil
	}
	asked, err := m.Int64ObservableCounter("signalbox_limit_round_trips", metric.WithDescription("How often Redis was asked about limits."))
	local, err1 := m.Int64ObservableGauge("signalbox_limits_local", metric.WithDescription("1 while Redis is away and this proxy goes by its own share of limits."))
	if err := errors.Join(err, err1); err != nil {
		return err
	}
	_, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(asked, s.deps.Counters.RoundTrips())
		away := int64(0)
		if s.keeper.Away() {
			away = 1
		}
		o.ObserveInt64(local, away)
		return nil
	}, asked, local)
	return err
}
