package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/sqldb"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// days is a fake keyauth that holds the content retention of each account. A
// missing account is unknown, and a negative value makes the call fail.
type days map[string]int32

func (d days) GetAccount(ctx context.Context, in *keyauthv1.GetAccountRequest, _ ...grpc.CallOption) (*keyauthv1.GetAccountResponse, error) {
	n, known := d[in.GetActor().GetAccountId()]
	if _, bounded := ctx.Deadline(); !bounded || n < 0 {
		return nil, errors.New("away")
	}
	if !known {
		return nil, apperr.New(apperr.NotFound, "no such account")
	}
	return &keyauthv1.GetAccountResponse{Account: &keyauthv1.Account{ContentDays: n}}, nil
}

// ledger is the real one with a replay that fails a given number of times.
type ledger struct {
	*store.Store
	failures, replays int
	stripped          []time.Time
	indexed           int
}

func (l *ledger) IndexDays(ctx context.Context) error {
	l.indexed++
	return l.Store.IndexDays(ctx)
}

func (l *ledger) ApplyDeadLetterRetention(ctx context.Context, before time.Time) error {
	l.stripped = append(l.stripped, before)
	return l.Store.ApplyDeadLetterRetention(ctx, before)
}

func (l *ledger) ReplayDeadLetters(context.Context, bool) (int, int, error) {
	l.replays++
	if l.replays <= l.failures {
		return 0, 0, errors.New("away")
	}
	return 1, 0, nil
}

var ages = []int{0, 5, 20, 80, 200}

// storeAgedRecords stores a record for each account and age, and returns a
// function that finds one.
func storeAgedRecords(t *testing.T, u *Upkeep, accounts ...string) (get func(account string, age int) *record.Record) {
	t.Helper()
	s := storetest.Open(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
	ids := map[string]map[int]uuid.UUID{}
	for i, account := range accounts {
		ids[account] = map[int]uuid.UUID{}
		for _, age := range ages {
			r := storetest.Make(account, i)
			r.Time = time.Now().AddDate(0, 0, -age)
			r.ID = storetest.ID(r.Time, i)
			r.Content = &record.Content{Request: []byte("question")}
			require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{r}}))
			ids[account][age] = r.ID
		}
	}
	u.Ledger, u.Log, u.Now = &ledger{Store: s}, slog.New(slog.DiscardHandler), time.Now
	return func(account string, age int) *record.Record {
		r, err := s.Get(t.Context(), account, ids[account][age])
		if apperr.Is(err, apperr.NotFound) {
			return nil
		}
		require.NoError(t, err)
		return r
	}
}

// requireRetained checks which requests and contents of an account remain, by age.
func requireRetained(t *testing.T, get func(string, int) *record.Record, account string, requests, content int) {
	t.Helper()
	for _, age := range ages {
		r := get(account, age)
		require.Equal(t, age <= requests, r != nil, "%s, %d days", account, age)
		if r != nil {
			require.Equal(t, age <= content, r.Content != nil, "content of %s, %d days", account, age)
		}
	}
}

const forever = 1 << 30

func TestRetention(t *testing.T) {
	for name, c := range map[string]struct {
		days, content int
		accounts      days
		requests      int
		want          map[string]int // content, by account
	}{
		"by account":          {100, 30, days{"a": 7, "b": 0, "c": 90}, 100, map[string]int{"a": 7, "b": 30, "c": 90}},
		"forever":             {0, 0, days{"a": 7, "b": 0}, forever, map[string]int{"a": 7, "b": forever}},
		"not after the row":   {30, 0, days{"a": 0, "b": 3650}, 30, map[string]int{"a": 30, "b": 30}},
		"an unknown account":  {100, 7, days{"a": 0}, 100, map[string]int{"a": 7, "gone": 100}},
		"requests forever":    {0, 7, days{"a": 0, "b": 30}, forever, map[string]int{"a": 7, "b": 30}},
		"keyauth cannot tell": {100, 7, days{"a": 7, "b": -1}, 100, map[string]int{"a": 100, "b": 100}},
	} {
		t.Run(name, func(t *testing.T) {
			u := &Upkeep{Accounts: c.accounts, RequestDays: c.days, ContentDays: c.content}
			var names []string
			for account := range c.want {
				names = append(names, account)
			}
			get := storeAgedRecords(t, u, names...)
			for range 2 {
				require.Equal(t, name == "keyauth cannot tell", u.runRound(t.Context()) != nil)
			}
			require.Equal(t, 2, u.Ledger.(*ledger).indexed, "past days are indexed in every round")
			for account, content := range c.want {
				requireRetained(t, get, account, c.requests, content)
			}
		})
	}
}

// TestDeadLettersKeepNoContentForLonger checks that the installation's retention
// applies, because the account of a dead letter is unknown.
func TestDeadLettersKeepNoContentForLonger(t *testing.T) {
	for _, c := range []struct {
		days int
		want []time.Duration
	}{{0, nil}, {7, []time.Duration{7 * 24 * time.Hour}}} {
		u := &Upkeep{Accounts: days{}, ContentDays: c.days}
		storeAgedRecords(t, u)
		now := time.Now().UTC()
		u.Now = func() time.Time { return now }
		require.NoError(t, u.runRound(t.Context()))
		var got []time.Duration
		for _, before := range u.Ledger.(*ledger).stripped {
			got = append(got, now.Sub(before))
		}
		require.Equal(t, c.want, got)
	}
}

// TestParkedRecordsAreTriedOnce checks that the replay repeats only until it
// succeeds.
func TestParkedRecordsAreTriedOnce(t *testing.T) {
	u := &Upkeep{Accounts: days{}}
	storeAgedRecords(t, u)
	l := u.Ledger.(*ledger)
	l.failures = 1
	require.False(t, u.replayParked(t.Context()))
	require.True(t, u.replayParked(t.Context()))
	l.replays = 2
	ctx, cancel := context.WithCancel(t.Context())
	u.Now = func() time.Time { cancel(); return time.Now() } // in the first round
	require.NoError(t, u.Run(ctx))
	require.Equal(t, 3, l.replays)
}
