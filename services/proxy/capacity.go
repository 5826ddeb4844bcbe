package proxy

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

const (
	// queueRequests is how many requests may wait for a slot.
	queueRequests = 128
	// queueWait is how long a request may wait for a slot. It bridges a short burst. A client
	// that is rejected can use another proxy.
	queueWait = 15 * time.Millisecond
)

func (c *Config) gateLimits() gate.Limits {
	return gate.Limits{
		Requests: c.MaxRequests, Bytes: limitBodyMemory(c.MaxBytes, debug.SetMemoryLimit(-1)), Queue: queueRequests, Wait: queueWait,
	}
}

// limitBodyMemory returns the memory limit for request bodies: the setting (0 means none), but at
// most two fifths of the process's memory limit. The rest is for other data, such as the data that
// the proxy derives from bodies.
func limitBodyMemory(bytes, memory int64) int64 {
	if memory == math.MaxInt64 {
		return bytes
	}
	maxBytes := memory / 5 * 2
	if bytes == 0 {
		return maxBytes
	}
	return min(bytes, maxBytes)
}

// openLimits creates the limiter. Without shared counters in Redis, no other proxy shares the
// limits. The limiter then stores its state in a file.
func (s *Service) openLimits() (err error) {
	d := limits.Deps{Proxies: 1, Path: filepath.Join(s.cfg.Data, "limits"), Log: s.deps.Log}
	if s.deps.Counters != nil {
		d = limits.Deps{Proxies: int(s.cfg.Proxies), Counters: s.deps.Counters, CounterTimeout: s.cfg.LimitsTimeout, Log: s.deps.Log}
	}
	s.limiter, err = limits.New(d)
	return err
}

func measureGate(m metric.Meter, g *gate.Gate) error {
	running, err := m.Int64ObservableGauge("signalbox_requests_running", metric.WithDescription("Requests in progress."))
	waiting, err1 := m.Int64ObservableGauge("signalbox_requests_waiting", metric.WithDescription("Requests that wait for a slot."))
	bytes, err2 := m.Int64ObservableGauge("signalbox_bodies_size", metric.WithUnit("By"), metric.WithDescription("Memory of the bodies of requests in progress."))
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

// measureLimits exports the state of the shared counters. Without shared counters it does nothing.
func (s *Service) measureLimits(m metric.Meter) error {
	if s.deps.Counters == nil {
		return nil
	}
	roundTrips, err := m.Int64ObservableCounter("signalbox_limit_round_trips", metric.WithDescription("Calls to Redis for limits."))
	local, err1 := m.Int64ObservableGauge("signalbox_limits_local", metric.WithDescription("1 while Redis is unavailable and this proxy uses its local share of the limits."))
	if err := errors.Join(err, err1); err != nil {
		return err
	}
	_, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(roundTrips, s.deps.Counters.RoundTrips())
		degraded := int64(0)
		if s.limiter.IsDegraded() {
			degraded = 1
		}
		o.ObserveInt64(local, degraded)
		return nil
	}, roundTrips, local)
	return err
}
