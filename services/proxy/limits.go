package proxy

import (
	"errors"
	"path/filepath"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// openLimits creates the limiter. Without shared counters in Redis, no other proxy shares the
// limits. The limiter then stores its state in a file.
func (s *Service) openLimits() (err error) {
	d := limits.Deps{Proxies: 1, Path: filepath.Join(s.cfg.Data, "limits"), Log: s.deps.Log}
	if s.deps.Counters != nil {
		d = limits.Deps{Proxies: int(s.cfg.Proxies), Counters: s.deps.Counters, Log: s.deps.Log}
	}
	s.limiter, err = limits.New(d)
	return err
}

// measureLimits exports the state of the shared counters. Without shared counters it does nothing.
func (s *Service) measureLimits(m metric.Meter) error {
	if s.deps.Counters == nil {
		return nil
	}
	var errs [2]error
	_, errs[0] = m.Int64ObservableCounter("signalbox_limit_round_trips", metric.WithDescription("Calls to Redis for limits."),
		observe(s.deps.Counters.RoundTrips))
	_, errs[1] = m.Int64ObservableGauge("signalbox_limits_local", metric.WithDescription("1 while Redis is unavailable and this proxy uses its local share of the limits."),
		observe(func() int64 { return oneIf(s.limiter.IsDegraded()) }))
	return errors.Join(errs[:]...)
}
