package proxy

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// readyPoll is how often a starting proxy checks whether it has reached its dependencies.
const readyPoll = 10 * time.Millisecond

// maxUnstored is how long a record may wait for the ledger before the proxy counts as degraded.
// Normally the ledger commits a record within a second, and a restart of its database takes
// seconds.
const maxUnstored = 10 * time.Second

var errMissing = errors.New("missing")

// registerHealth registers the readiness checks. The proxy needs a policy and a source of keys:
// the key service or a snapshot. Every other failure only degrades the proxy.
func (s *Service) registerHealth() {
	s.health.AddRequired("policy", toCheck(func() bool { return s.router.Policy() != nil }))
	s.health.AddRequired("keys", toCheck(func() bool { return s.hasStoredKeys || s.keys.Reached() }))
	s.health.AddOptional("router", toCheck(s.router.IsUp))
	s.health.AddOptional("keyauth", toCheck(s.keys.IsUp))
	s.health.AddOptional("limits", toCheck(func() bool { return !s.limiter.IsDegraded() }))
	s.health.AddOptional("credentials", toCheck(s.providers.hasAllCredentials))
	s.health.AddOptional("provider_keys", toCheck(func() bool { return s.providers.suspendedKeys() == "" }))
	s.health.AddOptional("spool", toCheck(func() bool { return describeSpool(s.spool.Stats()) == spoolOK }))
	s.health.AddOptional("snapshots", toCheck(func() bool { return !s.snapshots.IsFailing() }))
	s.health.AddOptional("records", toCheck(func() bool { return s.spool.Stats().OldestWaiting < maxUnstored }))
	s.health.AddFact("spool", func() string { return describeSpool(s.spool.Stats()) })
	s.health.AddFact("suspended_keys", s.providers.suspendedKeys)
	s.health.AddFact("open_breakers", func() string { return openBreakers(s.breakers) })
	s.health.AddFact("policy", func() string {
		if p := s.router.Policy(); p != nil {
			return p.Version()
		}
		return ""
	})
}

func toCheck(ok func() bool) func() error {
	return func() error {
		if ok() {
			return nil
		}
		return errMissing
	}
}

// awaitReady closes s.ready once the proxy has a policy and has reached the router and the key
// service.
func (s *Service) awaitReady(ctx context.Context) {
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	for s.router.Policy() == nil || !s.router.IsUp() || !s.keys.Reached() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
	close(s.ready)
}

func (s *Service) recordDone(r *ledger.Record) {
	s.outcomes.Report(r)
	s.metrics.observe(r)
	s.tracer.Export(r)
	if s.cfg.LogRequests == logAll || r.Code != "" && s.cfg.LogRequests != logNone {
		s.logRequest(r)
	}
}

func (s *Service) logRequest(r *ledger.Record) {
	facts := []slog.Attr{slog.Int("status", r.Status), slog.String("asked", r.RequestedModel)}
	if r.Served.Model != "" {
		facts = append(facts, slog.String("model", r.Served.Model), slog.String("provider", r.Served.Provider), slog.String("route", string(r.Route)))
	}
	if r.Code != "" {
		facts = append(facts, slog.String("outcome", string(r.Outcome)), slog.String("code", r.Code))
	}
	facts = append(facts, slog.String("latency", r.Latency.Round(10*time.Microsecond).String()),
		slog.String("cost_usd", formatCost(r.Cost)), slog.String("saved_usd", formatSavings(r)), slog.String("request_id", r.ID.String()))
	s.deps.Log.LogAttrs(context.Background(), slog.LevelInfo, "request", facts...)
}
