package proxy

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// readyPoll is how often a starting proxy looks whether it can serve.
const readyPoll = 10 * time.Millisecond

// unstored is how long a record may wait for the store before that is called
// degraded: a commit takes milliseconds, a restart of the ledger seconds.
const unstored = 10 * time.Second

var errMissing = errors.New("missing")

// watchHealth says what readiness depends on. Without a policy or any key
// source this process cannot serve, and a snapshot is as good as the service
// for that; everything else only degrades it.
func (s *Service) watchHealth() {
	s.health.Need("policy", when(func() bool { return s.router.Policy() != nil }))
	s.health.Need("keys", when(func() bool { return s.remembers || s.keys.Reached() }))
	s.health.Want("router", when(s.router.Up))
	s.health.Want("keyauth", when(s.keys.Up))
	s.health.Want("limits", when(func() bool { return !s.keeper.Away() }))
	s.health.Want("credentials", when(s.providers.complete))
	s.health.Want("provider_keys", when(func() bool { return s.providers.parked() == "" }))
	s.health.Want("spool", when(func() bool { return spoolState(s.spool.Stats()) == wellSpooled }))
	s.health.Want("snapshots", when(func() bool { return !s.snapshots.Failing() }))
	s.health.Want("records", when(func() bool { return s.spool.Stats().OldestWaiting < unstored }))
	s.health.Show("spool", func() string { return spoolState(s.spool.Stats()) })
	s.health.Show("parked_keys", s.providers.parked)
	s.health.Show("out_of_use", func() string { return outOfUse(s.breakers) })
	s.health.Show("policy", func() string {
		if p := s.router.Policy(); p != nil {
			return p.Version()
		}
		return ""
	})
}

func when(ok func() bool) func() error {
	return func() error {
		if ok() {
			return nil
		}
		return errMissing
	}
}

// announce closes ready once everything has been reached.
func (s *Service) announce(ctx context.Context) {
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	for s.router.Policy() == nil || !s.router.Up() || !s.keys.Reached() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
	close(s.ready)
}

// done is told of every record: numbers for machines, one line for people who
// want it.
func (s *Service) done(r *ledger.Record) {
	s.outcomes.Report(r)
	s.metrics.observe(r)
	if s.cfg.LogRequests == logAll || r.Code != "" && s.cfg.LogRequests != logNone {
		s.log(r)
	}
}

func (s *Service) log(r *ledger.Record) {
	facts := []slog.Attr{slog.Int("status", r.Status), slog.String("asked", r.RequestedModel)}
	if r.Served.Model != "" {
		facts = append(facts, slog.String("model", r.Served.Model), slog.String("provider", r.Served.Provider), slog.String("route", string(r.Route)))
	}
	if r.Code != "" {
		facts = append(facts, slog.String("outcome", string(r.Outcome)), slog.String("code", r.Code))
	}
	facts = append(facts, slog.String("latency", r.Latency.Round(10*time.Microsecond).String()),
		slog.String("cost_usd", money(r.Cost)), slog.String("kept_usd", kept(r)), slog.String("request_id", r.ID.String()))
	s.deps.Log.LogAttrs(context.Background(), slog.LevelInfo, "request", facts...)
}
