package proxy

import (
	"errors"
	"math"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/gate"
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

func measureGate(m metric.Meter, g *gate.Gate) error {
	var errs [3]error
	_, errs[0] = m.Int64ObservableGauge("signalbox_requests_running", metric.WithDescription("Requests in progress."),
		observe(func() int64 { return g.Load().Requests }))
	_, errs[1] = m.Int64ObservableGauge("signalbox_requests_waiting", metric.WithDescription("Requests that wait for a slot."),
		observe(func() int64 { return g.Load().Waiting }))
	_, errs[2] = m.Int64ObservableGauge("signalbox_bodies_size", metric.WithUnit("By"), metric.WithDescription("Memory of the bodies of requests in progress."),
		observe(func() int64 { return g.Load().Bytes }))
	return errors.Join(errs[:]...)
}
