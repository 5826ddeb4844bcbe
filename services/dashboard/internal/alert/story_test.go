package alert_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/seal"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// world is an account with a rule and a channel on a real store, and a clock that the test moves.
type world struct {
	t     *testing.T
	store *store.AlertStore
	mu    sync.Mutex
	now   time.Time
	value float64
	fails error // of the source
	// refuses is what the receiver says to the next messages.
	refuses error
	got     []alert.Message
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	s := storetest.Open(t, url)
	sealer, err := seal.New(make([]byte, 32), "test")
	require.NoError(t, err)
	return &world{t: t, store: s.WithSealer(sealer), now: noon}
}

func newSQLiteWorld(t *testing.T) *world {
	return newWorld(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) Measure(context.Context, alert.Rule, time.Time) ([]alert.Reading, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return []alert.Reading{{Value: w.value, Detail: "9 of 10 requests"}}, w.fails
}

func (w *world) Send(_ context.Context, _ alert.Channel, m alert.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got = append(w.got, m)
	return w.refuses
}

// add creates a rule for the channel with these quiet hours.
func (w *world) add(quiet alert.QuietHours) alert.Rule {
	w.t.Helper()
	c := alert.Channel{ID: "channel", AccountID: "acc", Name: "Team", Kind: alert.Webhook, Address: "https://example.com/x", Quiet: quiet, Updated: noon}
	require.NoError(w.t, w.store.CreateAlertChannel(w.t.Context(), c))
	r := alert.Rule{
		ID: "rule", AccountID: "acc", Name: "Errors", Kind: alert.ErrorRate, Threshold: 10, Window: 15 * time.Minute, Enabled: true, Channels: []string{"channel"}, Updated: noon,
	}
	require.NoError(w.t, w.store.CreateAlertRule(w.t.Context(), r))
	return r
}

func (w *world) evaluator(holder string) *alert.Evaluator {
	return &alert.Evaluator{Store: w.store, Source: w, Origin: "https://box.example.com", Log: slog.New(slog.DiscardHandler), Now: w.clock, Holder: holder}
}

func (w *world) deliverer() *alert.Deliverer {
	return &alert.Deliverer{Queue: w.store, Sender: w, Log: slog.New(slog.DiscardHandler), Now: w.clock}
}

// pass lets time pass in steps of 30 seconds. In each step the rule is evaluated.
func (w *world) pass(d time.Duration, value float64) {
	w.t.Helper()
	w.value = value
	for end := w.now.Add(d); w.now.Before(end); {
		w.mu.Lock()
		w.now = w.now.Add(30 * time.Second)
		w.mu.Unlock()
		if err := w.evaluator("one").Round(w.t.Context()); w.fails == nil {
			require.NoError(w.t, err)
		}
	}
}

// deliver sends everything that is due and returns the types of the messages.
func (w *world) deliver() (types []string) {
	w.t.Helper()
	w.got = nil
	for {
		n, err := w.deliverer().DeliverDue(w.t.Context())
		require.NoError(w.t, err)
		if n == 0 {
			break
		}
	}
	for _, m := range w.got {
		types = append(types, m.Type)
	}
	return types
}

func TestAnAlertFiresAndResolvesOnce(t *testing.T) {
	w := newSQLiteWorld(t)
	w.add(alert.QuietHours{})
	w.pass(time.Hour, 0)
	require.Empty(t, w.deliver())
	w.pass(time.Hour, 90)
	require.Equal(t, []string{alert.TypeFiring}, w.deliver())
	first := w.got[0]
	require.Equal(t, "Error rate is 90 %, at least the threshold of 10 % over 15 minutes: 9 of 10 requests.", first.Data.Text)
	require.Equal(t, "https://box.example.com/docs/alerts#error-rate", first.Data.Runbook)
	firing, err := w.store.FiringAlerts(t.Context(), "acc")
	require.NoError(t, err)
	require.Len(t, firing, 1)

	// An unknown value changes nothing.
	w.fails = errors.New("the ledger is away")
	w.pass(time.Hour, 0)
	require.Empty(t, w.deliver())
	w.fails = nil
	w.pass(time.Hour, 0)
	require.Equal(t, []string{alert.TypeResolved}, w.deliver())
	require.Equal(t, first.Data.Incident, w.got[0].Data.Incident)
	require.NotEqual(t, first.ID, w.got[0].ID)
	events, err := w.store.AlertEvents(t.Context(), "acc", 10)
	require.NoError(t, err)
	require.Len(t, events, 2)
}

// sourceFunc is a Source.
type sourceFunc func(r alert.Rule) ([]alert.Reading, error)

func (f sourceFunc) Measure(_ context.Context, r alert.Rule, _ time.Time) ([]alert.Reading, error) {
	return f(r)
}

// TestManySubjectsHideNoBadOne has more budgets than a rule measures. The first keys are the
// newest ones.
func TestManySubjectsHideNoBadOne(t *testing.T) {
	w := newSQLiteWorld(t)
	r := w.add(alert.QuietHours{})
	values := make([]float64, 300)
	e := w.evaluator("one")
	e.Source = sourceFunc(func(alert.Rule) (all []alert.Reading, err error) {
		for i, v := range values {
			all = append(all, alert.Reading{Subject: fmt.Sprintf("key_%03d", i), Value: v})
		}
		return all, nil
	})
	firing := func() (names []string) {
		for range 15 { // longer than a resolved alert needs
			w.now = w.now.Add(30 * time.Second)
			require.NoError(t, e.Round(t.Context()))
		}
		states, err := w.store.AlertStates(t.Context(), r.ID)
		require.NoError(t, err)
		for _, s := range states {
			if s.Firing {
				names = append(names, s.Subject)
			}
		}
		return names
	}
	values[299] = r.Threshold
	require.Equal(t, []string{"key_299"}, firing())
	for i := range 298 {
		values[i] = 2 * r.Threshold
	}
	require.Contains(t, firing(), "key_299", "worse subjects do not resolve it")
	require.Len(t, firing(), 100)
}

// addRules creates rules with these ids and without channels.
func (w *world) addRules(ids ...string) {
	w.t.Helper()
	for _, id := range ids {
		r := alert.Rule{ID: id, AccountID: "acc", Name: id, Kind: alert.ErrorRate, Threshold: 10, Window: 15 * time.Minute, Enabled: true, Updated: noon}
		require.NoError(w.t, w.store.CreateAlertRule(w.t.Context(), r))
	}
}

func TestEveryFailingRuleIsLoggedOnce(t *testing.T) {
	w := newSQLiteWorld(t)
	w.addRules("a", "b")
	var out bytes.Buffer
	failing := map[string]bool{}
	e := w.evaluator("one")
	e.Log = slog.New(slog.NewTextHandler(&out, nil))
	e.Source = sourceFunc(func(r alert.Rule) ([]alert.Reading, error) {
		if failing[r.ID] {
			return nil, errors.New("the user was removed")
		}
		return nil, nil
	})
	for _, step := range []struct {
		a, b   bool
		logged []string
	}{{true, false, []string{"a"}}, {true, false, nil}, {true, true, []string{"b"}}, {true, true, nil}, {true, false, nil}, {true, true, []string{"b"}}} {
		failing["a"], failing["b"] = step.a, step.b
		out.Reset()
		require.NoError(t, e.Round(t.Context()))
		var logged []string
		for _, id := range []string{"a", "b"} {
			if strings.Contains(out.String(), "rule="+id+" ") {
				logged = append(logged, id)
			}
		}
		require.Equal(t, step.logged, logged)
	}
}

func TestARoundContinuesAfterTheLastEvaluatedRule(t *testing.T) {
	w := newSQLiteWorld(t)
	w.addRules("a", "b", "c", "d")
	var measured string
	stop := func() {}
	e := w.evaluator("one")
	e.Source = sourceFunc(func(r alert.Rule) ([]alert.Reading, error) {
		if measured += r.ID; r.ID == "b" {
			stop()
		}
		return nil, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	stop = cancel
	require.Error(t, e.Round(ctx))
	require.Equal(t, "ab", measured)
	require.NoError(t, e.Round(t.Context()))
	require.Equal(t, "abcd", measured)
	require.NoError(t, e.Round(t.Context()))
	require.Equal(t, "abcdabcd", measured)
}

func TestARoundLogsFewFailingRules(t *testing.T) {
	w := newSQLiteWorld(t)
	for i := range 25 {
		w.addRules(fmt.Sprintf("rule_%02d", i))
	}
	var out bytes.Buffer
	e := w.evaluator("one")
	e.Log = slog.New(slog.NewTextHandler(&out, nil))
	e.Source = sourceFunc(func(alert.Rule) ([]alert.Reading, error) { return nil, errors.New("the ledger is away") })
	for _, lines := range []int{10, 10, 5, 0} {
		out.Reset()
		require.NoError(t, e.Round(t.Context()))
		require.Equal(t, lines, strings.Count(out.String(), "cannot be evaluated"))
	}
}

func TestQuietHoursHoldAlerts(t *testing.T) {
	tokyo := alert.QuietHours{From: 20 * 60, To: 23 * 60, Zone: "Asia/Tokyo"} // 11:00 to 14:00 in UTC
	w := newSQLiteWorld(t)
	w.add(tokyo)
	w.pass(10*time.Minute, 90)
	w.pass(10*time.Minute, 0)
	w.now = w.now.Add(5 * time.Hour)
	require.Empty(t, w.deliver(), "an alert that starts and ends in quiet hours sends nothing")

	w = newSQLiteWorld(t)
	w.add(tokyo)
	w.pass(10*time.Minute, 90)
	require.Empty(t, w.deliver())
	w.now = noon.Add(2*time.Hour - time.Second)
	require.Empty(t, w.deliver())
	w.now = noon.Add(2 * time.Hour)
	require.Equal(t, []string{alert.TypeFiring}, w.deliver())
	w.pass(10*time.Minute, 0)
	require.Equal(t, []string{alert.TypeResolved}, w.deliver())
}

func TestDeliveriesAreRepeatedAndThenDropped(t *testing.T) {
	w := newSQLiteWorld(t)
	w.add(alert.QuietHours{})
	w.pass(2*time.Minute, 90)
	w.refuses = errors.New("the webhook responded with status 500")
	var ids []string
	for range 24 * 60 { // a day
		w.deliver()
		for _, m := range w.got {
			ids = append(ids, m.ID)
		}
		w.now = w.now.Add(time.Minute)
	}
	require.Len(t, ids, 7)
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	c, _, err := w.store.AlertChannel(t.Context(), "acc", "channel")
	require.NoError(t, err)
	require.Equal(t, "the webhook responded with status 500", c.LastError)
	w.refuses = nil
	w.pass(10*time.Minute, 0)
	require.Equal(t, []string{alert.TypeResolved}, w.deliver())
	c, _, err = w.store.AlertChannel(t.Context(), "acc", "channel")
	require.NoError(t, err)
	require.Empty(t, c.LastError)
}

func TestFailedDeliveriesAreNotRepeatedInQuietHours(t *testing.T) {
	w := newSQLiteWorld(t)
	w.add(alert.QuietHours{From: 12*60 + 3, To: 14 * 60})
	w.pass(2*time.Minute, 90)
	w.now = noon.Add(3*time.Minute - time.Second)
	w.refuses = errors.New("the webhook responded with status 500")
	require.Len(t, w.deliver(), 1)
	w.refuses = nil
	for ; w.now.Before(noon.Add(2*time.Hour - time.Minute)); w.now = w.now.Add(time.Minute) {
		require.Empty(t, w.deliver())
	}
	w.now = noon.Add(2 * time.Hour)
	require.Equal(t, []string{alert.TypeFiring}, w.deliver())
}

// senderFunc is a Sender.
type senderFunc func() error

func (f senderFunc) Send(context.Context, alert.Channel, alert.Message) error { return f() }

func TestAMessageSentDuringShutdownIsNotRepeated(t *testing.T) {
	for _, failure := range []error{nil, context.Canceled} {
		w := newSQLiteWorld(t)
		w.add(alert.QuietHours{})
		w.pass(2*time.Minute, 90)
		ctx, shutDown := context.WithCancel(t.Context())
		d := w.deliverer()
		d.Sender = senderFunc(func() error {
			shutDown()
			return failure
		})
		_, err := d.DeliverDue(ctx)
		require.ErrorIs(t, err, failure)
		w.now = w.now.Add(2 * time.Minute) // after the lease
		if failure == nil {
			require.Empty(t, w.deliver())
		} else {
			require.Equal(t, []string{alert.TypeFiring}, w.deliver())
		}
	}
}

func TestTheStartOfAnAlertNeverArrivesAfterItsEnd(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { requireNoLateStart(t, newSQLiteWorld(t)) })
	t.Run("postgres", func(t *testing.T) { requireNoLateStart(t, newWorld(t, testenv.Postgres(t))) })
}

func requireNoLateStart(t *testing.T, w *world) {
	w.add(alert.QuietHours{})
	w.pass(2*time.Minute, 90)
	w.refuses = errors.New("the webhook responded with status 500")
	for range 15 { // the next attempt is then at least 12 minutes away
		w.deliver()
		w.now = w.now.Add(time.Minute)
	}
	w.refuses = nil
	w.pass(8*time.Minute, 0)
	require.Equal(t, []string{alert.TypeResolved}, w.deliver())
	w.now = w.now.Add(2 * time.Hour)
	require.Empty(t, w.deliver())
}

func TestTheEndOfAnAlertWaitsForAnAttemptInProgress(t *testing.T) {
	w := newSQLiteWorld(t)
	w.add(alert.QuietHours{})
	w.pass(2*time.Minute, 90)
	w.pass(5*time.Minute, 0)
	taken, err := w.store.TakeAlertDeliveries(t.Context(), w.now, w.now.Add(time.Minute), 1)
	require.NoError(t, err)
	require.Len(t, taken, 1)
	w.pass(30*time.Second, 0) // the alert resolves
	require.Empty(t, w.deliver())
	require.ErrorIs(t, w.store.DelayAlertDelivery(t.Context(), taken[0], "status 500", w.now, w.now), alert.ErrTaken)
	w.now = w.now.Add(30 * time.Second)
	require.Equal(t, []string{alert.TypeResolved}, w.deliver())
}

// TestSeveralDashboardsDecideAndSendOnce runs evaluators and deliverers of several dashboards
// at the same time, on both databases.
func TestSeveralDashboardsDecideAndSendOnce(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { requireOneMessage(t, newSQLiteWorld(t)) })
	t.Run("postgres", func(t *testing.T) { requireOneMessage(t, newWorld(t, testenv.Postgres(t))) })
}

func requireOneMessage(t *testing.T, w *world) {
	w.add(alert.QuietHours{})
	w.value = 90
	for range 4 {
		w.now = w.now.Add(2 * time.Minute) // after the lease, so that any of them may take it
		var wait sync.WaitGroup
		for _, holder := range []string{"one", "two", "three", "four"} {
			// A conflict is an error for one round of one dashboard only.
			wait.Go(func() { _ = w.evaluator(holder).Round(t.Context()) })
		}
		wait.Wait()
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			_, err := w.deliverer().DeliverDue(t.Context())
			require.NoError(t, err)
		})
	}
	wait.Wait()
	require.Len(t, w.got, 1)
	events, err := w.store.AlertEvents(t.Context(), "acc", 10)
	require.NoError(t, err)
	require.Len(t, events, 1)

	// Without the lease, the revision of the state still keeps a second decision out.
	states, err := w.store.AlertStates(t.Context(), "rule")
	require.NoError(t, err)
	old := states[0]
	old.Revision--
	stored, err := w.store.SaveAlertChange(t.Context(), alert.Change{Rule: alert.Rule{ID: "rule", AccountID: "acc", Updated: noon}, State: old})
	require.NoError(t, err)
	require.False(t, stored)
}

func TestTheLeaseMovesToAnotherDashboard(t *testing.T) {
	w := newSQLiteWorld(t)
	hold := func(who string) bool {
		held, err := w.store.HoldAlertLease(t.Context(), who, w.now, w.now.Add(time.Minute))
		require.NoError(t, err)
		return held
	}
	require.True(t, hold("one"))
	require.False(t, hold("two"))
	w.now = w.now.Add(59 * time.Second)
	require.True(t, hold("one"))
	w.now = w.now.Add(59 * time.Second)
	require.False(t, hold("two"))
	w.now = w.now.Add(time.Second)
	require.True(t, hold("two"))
	require.False(t, hold("one"))
}

func TestASavedOrDeletedRuleIsNotChangedByAnOldEvaluation(t *testing.T) {
	w := newSQLiteWorld(t)
	r := w.add(alert.QuietHours{})
	change := alert.Change{Rule: r, State: alert.State{RuleID: r.ID, AccountID: "acc", Suspect: noon}}
	saved := r
	saved.Updated = noon.Add(time.Second)
	require.NoError(t, w.store.UpdateAlertRule(t.Context(), saved))
	stored, err := w.store.SaveAlertChange(t.Context(), change)
	require.NoError(t, err)
	require.False(t, stored)
	require.NoError(t, w.store.DeleteAlertRule(t.Context(), "acc", r.ID))
	change.Rule = saved
	stored, err = w.store.SaveAlertChange(t.Context(), change)
	require.NoError(t, err)
	require.False(t, stored)
}
