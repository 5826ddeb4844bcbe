package proxy

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/shadow"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

// openShadow creates the pool that runs the experiments of the policy.
func (s *Service) openShadow(book *ledger.Writer) {
	s.shadow = shadow.New(shadow.Deps{
		Budgets: s.limiter, Breakers: s.breakers, IsDrained: func(c decide.Candidate) bool { return s.router.Drains().Includes(c) }, IsInUse: s.providers.isInUse, Providers: s.providers.adaptersOf, Ledger: book,
		IsBusy: s.isBusy, IsServing: func() bool { return s.gate.Load().Requests > 0 }, MayUse: s.maySample, Workers: int(s.cfg.ShadowWorkers), Log: s.deps.Log,
	})
}

// maySample reports whether experiments may use requests of a key now. If the current state of
// the key cannot be confirmed, they may not.
func (s *Service) maySample(ctx context.Context, keyID string) bool {
	p, ok := s.cache.Confirm(ctx, keyID)
	return ok && p.AllowExperiments && p.Capture == keys.CaptureFull
}

// isBusy reports whether clients need the whole gateway. Experiments then stop first: when
// requests wait, when half of the slots or of the memory for bodies is used, or when the
// spool has to drop content.
func (s *Service) isBusy() bool {
	load, limits := s.gate.Load(), s.cfg.gateLimits()
	return load.Waiting > 0 || limits.Requests > 0 && load.Requests > limits.Requests/2 ||
		limits.Bytes > 0 && load.Bytes > limits.Bytes/2 || s.spool.Stats().Level != spool.Normal
}

func (s *Service) measureShadow(m metric.Meter) error {
	var errs [2]error
	_, errs[0] = m.Int64ObservableCounter("signalbox_comparisons", metric.WithDescription("Comparisons of experiments, by result."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			s.shadow.EachResult(func(r ledger.ComparisonResult, n int64) {
				o.Observe(n, metric.WithAttributes(attribute.String("result", string(r))))
			})
			return nil
		}))
	_, errs[1] = m.Int64ObservableCounter("signalbox_samples_dropped", metric.WithDescription("Requests that an experiment sampled but did not compare, by reason."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			s.shadow.EachDropped(func(why shadow.Drop, n int64) {
				o.Observe(n, metric.WithAttributes(attribute.String("reason", string(why))))
			})
			return nil
		}))
	return errors.Join(errs[:]...)
}
