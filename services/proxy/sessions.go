package proxy

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

// SessionFile stores the states of sessions for one proxy, so that they survive a restart.
type SessionFile = sessionkeeper.File

// SavedSession is an encoded state in a SessionFile.
type SavedSession = sessionkeeper.Saved

// openSessions creates the keeper of sessions. Without a store, a restart forgets all sessions.
func (s *Service) openSessions() {
	d := sessionkeeper.Deps{File: s.deps.SessionFile, Log: s.deps.Log}
	if s.deps.Sessions != nil {
		d.Shared, d.File = s.deps.Sessions, nil
	}
	s.sessions = sessionkeeper.New(context.Background(), d)
}

func (s *Service) measureSessions(m metric.Meter) error {
	var errs [5]error
	_, errs[0] = m.Int64ObservableGauge("signalbox_sessions", metric.WithDescription("Sessions in the memory of this proxy."),
		observe(func() int64 { return int64(s.sessions.Len()) }))
	_, errs[1] = m.Int64ObservableCounter("signalbox_session_reads", metric.WithDescription("States of sessions that were requested from Redis."),
		observe(s.sessions.Reads))
	_, errs[2] = m.Int64ObservableCounter("signalbox_session_read_failures", metric.WithDescription("States of sessions that Redis did not return in time. The proxy then uses the states in its memory."),
		observe(s.sessions.FailedReads))
	_, errs[3] = m.Int64ObservableCounter("signalbox_session_write_retries", metric.WithDescription("Repeated writes of the states of sessions, after the store rejected a write or did not respond."),
		observe(s.sessions.RetriedWrites))
	_, errs[4] = m.Int64ObservableCounter("signalbox_session_writes_dropped", metric.WithDescription("Changes of sessions that were not written to the store. The totals of these sessions are too low."),
		observe(s.sessions.DroppedWrites))
	return errors.Join(errs[:]...)
}
