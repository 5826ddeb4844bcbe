package rollout

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// desk keeps one rollout and its audit log, like router and keyauth.
type desk struct {
	state   State
	sides   Sides
	logged  []int64
	reasons []string
	fault   error
}

func (d *desk) Rollouts(context.Context) ([]State, *State, error) {
	now := d.state
	return []State{now}, &now, nil
}

func (d *desk) Change(_ context.Context, id string, revision int64, a Action, reason string) (bool, error) {
	if id != d.state.ID || revision != d.state.Revision {
		return false, nil
	}
	d.state.Revision++
	d.reasons = append(d.reasons, reason)
	d.state.Events = append(d.state.Events, Event{Number: d.state.Revision, At: time.Unix(50, 0), Action: string(a)})
	return true, nil
}

func (d *desk) RolloutFigures(context.Context, string, int32) (Sides, error) { return d.sides, nil }

func (d *desk) RecordRolloutEvent(_ context.Context, _ State, e Event) error {
	if d.fault == nil {
		d.logged = append(d.logged, e.Number)
	}
	return d.fault
}

func newController(d *desk) *Controller {
	return &Controller{Router: d, Ledger: d, Audit: d, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Unix(60, 0) }}
}

func TestABreachedRolloutIsRolledBackEvenWithoutAnAuditLog(t *testing.T) {
	d := &desk{fault: errors.New("keyauth is away"), state: State{ID: "r", Revision: 1, Limits: usual, MinStep: time.Hour, StepStarted: time.Unix(0, 0)}}
	d.sides = Sides{Figures{Requests: 500}, Figures{Requests: 50, Failures: 50}}
	c := newController(d)
	require.ErrorIs(t, c.Check(t.Context()), d.fault)
	require.Len(t, d.reasons, 1)
	require.Contains(t, d.reasons[0], "Error rate 100 %")
	require.Empty(t, d.logged)
	d.fault, d.sides = nil, Sides{}
	require.NoError(t, newController(d).Check(t.Context()), "another controller adds the event later")
	require.Equal(t, []int64{2}, d.logged)
}

func TestEventsAreRecordedOnce(t *testing.T) {
	d := &desk{state: State{ID: "r", Revision: 1, MinStep: time.Hour, StepStarted: time.Unix(0, 0)}}
	d.state.Events = []Event{{Number: 5, At: time.Unix(10, 0)}, {Number: 4, At: time.Unix(10, 0).Add(-2 * auditedFor)}}
	c := newController(d)
	for range 3 {
		require.NoError(t, c.Check(t.Context()))
	}
	require.Equal(t, []int64{5}, d.logged, "old events are not repeated")
}

// The router returns the newest event first. If the dashboard was away, several events wait.
func TestWaitingEventsAreRecordedInTheirOrder(t *testing.T) {
	d := &desk{state: State{ID: "r", Revision: 1, MinStep: time.Hour, StepStarted: time.Unix(0, 0)}}
	for number := int64(7); number > 4; number-- {
		d.state.Events = append(d.state.Events, Event{Number: number, At: time.Unix(10, 0)})
	}
	require.NoError(t, newController(d).Check(t.Context()))
	require.Equal(t, []int64{5, 6, 7}, d.logged)
}
