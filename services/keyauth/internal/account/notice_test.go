package account_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/store/storetest"
)

func (w world) waiting(t *testing.T, accountID string) (n int) {
	t.Helper()
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) (err error) {
		n, err = tx.CountNotices(t.Context(), accountID)
		return err
	}))
	return n
}

func TestNoticeIsDelivered(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		h := newHook(t)
		w = w.hooked(t, h)
		owner := w.newOwner(t)
		w.reachDay(t, owner)
		require.Zero(t, w.waiting(t, owner.AccountID), "off by default")
		w.setHook(t, owner, h.URL+"/hook")
		k := w.reachDay(t, owner)
		stop := w.delivering(t)
		<-h.came
		require.Eventually(t, func() bool { return w.waiting(t, owner.AccountID) == 0 }, 10*time.Second, 10*time.Millisecond)
		stop()
		got := h.received()
		require.Len(t, got, 1)
		m := got[0].message(t)
		require.Equal(t, got[0].ID, m.ID)
		require.Equal(t, "budget.notice", m.Type)
		require.Equal(t, owner.AccountID, m.AccountID)
		require.Equal(t, map[string]any{
			"scope": "key", "name": "nano_usd_per_day", "percent": 80.0, "limit": 100.0, "spent": 80.0, "period": today(),
			"key_id": k.ID, "key_name": "k",
		}, m.Data)
		_, err := time.Parse(time.RFC3339Nano, m.Time)
		require.NoError(t, err)
		require.Empty(t, got[0].Signature, "there is no secret yet")
	})
}

// A process dies after the spend was committed; another process delivers the notice.
func TestACrashBeforeDeliveryLosesNoNotice(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		h := newHook(t)
		first, second := w.hooked(t, h), w.hooked(t, h)
		owner := first.newOwner(t)
		first.setHook(t, owner, h.URL)
		first.reachDay(t, owner)
		second.delivering(t)
		<-h.came
		require.Len(t, h.received(), 1)
	})
}

func TestInstancesDeliverOnce(t *testing.T) {
	at, h := storetest.LoginURL(t), newHook(t)
	here, there := worldAt(t, at, account.RegistrationOpen).hooked(t, h), worldAt(t, at, account.RegistrationOpen).hooked(t, h)
	const accounts = 20
	for range accounts {
		owner := here.newOwner(t)
		here.setHook(t, owner, h.URL)
		here.reachDay(t, owner)
	}
	here.delivering(t)
	there.delivering(t)
	for range accounts {
		<-h.came
	}
	require.Eventually(t, func() bool {
		due, err := here.store.NoticeDue(t.Context(), time.Now().Add(time.Hour))
		return err == nil && !due
	}, 10*time.Second, 10*time.Millisecond)
	ids := map[string]bool{}
	for _, c := range h.received() {
		ids[c.ID] = true
	}
	require.Len(t, ids, accounts)
	require.Len(t, h.received(), accounts)
}

// await advances the clock until the webhook has received n notices.
func (h *hook) await(t *testing.T, n int) time.Time {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); len(h.received()) < n; after(time.Second) {
		require.False(t, time.Now().After(end), "received %d notices", len(h.received()))
	}
	synctest.Wait()
	return time.Now()
}

// hookedTime runs a test with a fake clock and a webhook that runs in real time.
func hookedTime(t *testing.T, test func(t *testing.T, w world, h *hook, owner access.Actor)) {
	h := newHook(t)
	inTime(t, func(t *testing.T, w world) {
		w = w.hooked(t, h)
		owner := w.newOwner(t)
		w.setHook(t, owner, h.URL)
		test(t, w, h, owner)
	})
}

func TestAWebhookThatFailsIsTriedAgainAndGivenUp(t *testing.T) {
	hookedTime(t, func(t *testing.T, w world, h *hook, owner access.Actor) {
		h.respondWith(http.StatusInternalServerError)
		w.reachDay(t, owner)
		due := func() bool {
			due, err := w.store.NoticeDue(t.Context(), time.Now())
			require.NoError(t, err)
			return due
		}
		for i, want := range []time.Duration{30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour} {
			stop := w.delivering(t)
			h.await(t, i+1)
			stop()
			after(want - time.Second)
			require.False(t, due(), want)
			after(want/5 + time.Second)
			require.True(t, due(), want)
		}
		stop := w.delivering(t)
		h.await(t, 8)
		stop()
		require.False(t, due())
		require.Len(t, h.received(), 8)
		require.Zero(t, w.waiting(t, owner.AccountID))
		requireChange(t, w.trail(t, owner.AccountID), "webhook.give_up", `{}`, `{"tries":8,"error":"the webhook responded with status 500"}`)
		ids := map[string]bool{}
		for _, c := range h.received() {
			ids[c.ID] = true
		}
		require.Len(t, ids, 1, "repeated deliveries have the same id")
	})
}

// tarpit delays every delivery for the longest time an attempt may take, except to
// one URL. A real server cannot be slow under a fake clock.
type tarpit struct {
	good string
	came chan struct{}
}

func (p tarpit) Send(_ context.Context, d notice.Delivery) (int, error) {
	if d.URL == p.good {
		close(p.came)
		return http.StatusOK, nil
	}
	after(5 * time.Second)
	return 0, errors.New("the webhook did not respond within 5 seconds")
}

// Many slow webhooks, each with many notices, must not delay the notices of another
// account.
func TestSlowWebhooksDoNotDelayOthers(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		p := tarpit{good: "https://example.com/good", came: make(chan struct{})}
		w = w.with(t, func(c *account.Config) { c.Webhook = p })
		const atOnce, each = 16, 10
		for range atOnce {
			other := w.newOwner(t)
			w.setHook(t, other, "https://example.com/slow")
			for range each {
				w.reachDay(t, other)
			}
		}
		owner := w.newOwner(t)
		w.setHook(t, owner, p.good)
		defer w.delivering(t)()
		after(time.Second)
		w.reachDay(t, owner)
		began := time.Now()
		<-p.came
		require.LessOrEqual(t, time.Since(began), 6*time.Second)
	})
}

func TestRecoveredWebhookReceivesTheNotice(t *testing.T) {
	hookedTime(t, func(t *testing.T, w world, h *hook, owner access.Actor) {
		h.respondWith(http.StatusServiceUnavailable)
		w.reachDay(t, owner)
		defer w.delivering(t)()
		h.await(t, 1)
		h.respondWith(http.StatusOK)
		h.await(t, 2)
		after(5 * time.Minute)
		require.Len(t, h.received(), 2)
		require.Zero(t, w.waiting(t, owner.AccountID))
		for _, e := range w.trail(t, owner.AccountID) {
			require.NotEqual(t, "webhook.give_up", e.Action)
		}
	})
}

// The instance that took the notice died before it recorded a result.
func TestNoticeIsTakenAgainAfterTheLease(t *testing.T) {
	hookedTime(t, func(t *testing.T, w world, h *hook, owner access.Actor) {
		w.reachDay(t, owner)
		at := time.Now()
		require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error {
			taken, err := tx.TakeNotices(t.Context(), at, at.Add(time.Minute), 10)
			require.Len(t, taken, 1)
			return err
		}))
		defer w.delivering(t)()
		require.GreaterOrEqual(t, h.await(t, 1).Sub(at), time.Minute)
	})
}

func TestNoDeliveryWithoutAWebhook(t *testing.T) {
	hookedTime(t, func(t *testing.T, w world, h *hook, owner access.Actor) {
		w.reachDay(t, owner)
		w.setHook(t, owner, "")
		defer w.delivering(t)()
		after(time.Minute)
		require.Empty(t, h.received())
		require.Zero(t, w.waiting(t, owner.AccountID))
	})
}

func TestQueuedNoticesAreBounded(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	w.setHook(t, owner, "https://example.com/hook")
	const most = 1000
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error {
		for range most {
			if err := tx.QueueNotice(t.Context(), notice.Notice{ID: uuid.Must(uuid.NewV7()).String(), AccountID: owner.AccountID, DueAt: time.Now()}); err != nil {
				return err
			}
		}
		return nil
	}))
	w.reachDay(t, owner)
	require.Equal(t, most, w.waiting(t, owner.AccountID))
	require.Equal(t, []int64{80}, w.percents(t, owner.AccountID), "the audit log has the notice anyway")
	requireChange(t, w.trail(t, owner.AccountID), "webhook.give_up", `{}`, `{"error":"too many notices are queued"}`)
}

// The webhook never responds.
func TestStoppingDoesNotWaitForAWebhook(t *testing.T) {
	h, release := newHook(t), make(chan struct{})
	var once sync.Once
	h.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		once.Do(func() { h.came <- struct{}{} })
		<-release
	})
	w := newWorld(t, account.RegistrationOpen).hooked(t, h)
	owner := w.newOwner(t)
	w.setHook(t, owner, h.URL)
	w.reachDay(t, owner)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		w.DeliverNotices(ctx)
		close(ended)
	}()
	<-h.came
	cancel()
	<-ended
	close(release)
	require.Equal(t, 1, w.waiting(t, owner.AccountID), "it is delivered later")
	now := time.Now()
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error {
		due, err := tx.TakeNotices(t.Context(), now, now, 1)
		require.Len(t, due, 1, "the next start need not wait for the lease")
		require.Equal(t, 1, due[0].Tries, "the interrupted attempt does not count")
		return err
	}))
}

// The webhook accepts the notice while the instance stops.
func TestAcceptedNoticeIsNotRepeatedAfterAStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newWorld(t, account.RegistrationOpen).with(t, func(c *account.Config) { c.Webhook = accepting(cancel) })
	owner := w.newOwner(t)
	w.setHook(t, owner, "https://example.com/hook")
	w.reachDay(t, owner)
	w.DeliverNotices(ctx)
	require.Zero(t, w.waiting(t, owner.AccountID))
}

// A writer holds the store longer than a stop would wait for it.
func TestAcceptedNoticeIsNotRepeatedAfterASlowStore(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		accepted := make(chan struct{}, 2)
		w = w.with(t, func(c *account.Config) {
			c.Webhook = accepting(func() {
				accepted <- struct{}{}
				held := make(chan struct{})
				go func() {
					_ = w.store.Write(context.WithoutCancel(t.Context()), func(account.Tx) error {
						close(held)
						after(10 * time.Second)
						return nil
					})
				}()
				<-held
			})
		})
		owner := w.newOwner(t)
		w.setHook(t, owner, "https://example.com/hook")
		w.reachDay(t, owner)
		defer w.delivering(t)()
		after(2 * time.Minute)
		require.Len(t, accepted, 1)
	})
}

// accepting is a webhook that accepts every notice and calls the function meanwhile.
type accepting func()

func (f accepting) Send(context.Context, notice.Delivery) (int, error) {
	f()
	return http.StatusOK, nil
}
