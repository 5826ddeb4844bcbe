package storetest

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
)

func eventsComeBack(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	var all []audit.Event
	for n := range int64(3) {
		e := audit.Event{
			AccountID: a.ID, At: base.Add(time.Duration(n) * time.Second), UserID: "u", Email: "a@example.com",
			Action: "key.create", Subject: "k", Before: "{}", After: `{"name":"k"}`,
		}
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveEvent(ctx, e) })
		write(t, s, func(ctx context.Context, tx account.Tx) error {
			return tx.SaveEvent(ctx, audit.Event{AccountID: other.ID, At: base, Action: "x"})
		})
		e.Version = n + 1
		all = append([]audit.Event{e}, all...)
	}
	got, err := s.Events(t.Context(), a.ID, audit.Filter{}, math.MaxInt64, 2)
	require.NoError(t, err)
	require.Equal(t, all[:2], got)
	got, err = s.Events(t.Context(), a.ID, audit.Filter{}, got[1].Version, 2)
	require.NoError(t, err)
	require.Equal(t, all[2:], got)
}

func eventsAreFiltered(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	save := func(n int, action, email, subject string) {
		e := audit.Event{AccountID: a.ID, At: base.Add(time.Duration(n) * time.Second), Email: email, Action: action, Subject: subject, Before: "{}", After: "{}"}
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveEvent(ctx, e) })
	}
	save(1, "key.create", "Ada@example.com", "k1")
	save(2, "key.revoke", "bob_x@example.com", "k1")
	save(3, "keys", "", "k2")
	save(4, "policy.publish", "bobyx@example.com", "v")
	for name, c := range map[string]struct {
		filter audit.Filter
		want   []int64
	}{
		"all":            {audit.Filter{}, []int64{4, 3, 2, 1}},
		"action":         {audit.Filter{Action: "key.create"}, []int64{1}},
		"group":          {audit.Filter{Action: "key"}, []int64{2, 1}},
		"not a pattern":  {audit.Filter{Action: "k%"}, nil},
		"email":          {audit.Filter{Email: "ADA@"}, []int64{1}},
		"email, no glob": {audit.Filter{Email: "b_x"}, []int64{2}},
		"subject":        {audit.Filter{Subject: "k1"}, []int64{2, 1}},
		"time":           {audit.Filter{From: base.Add(2 * time.Second), To: base.Add(4 * time.Second)}, []int64{3, 2}},
		"all of them":    {audit.Filter{Action: "key", Email: "bob", Subject: "k1", From: base}, []int64{2}},
		"a backslash":    {audit.Filter{Email: `\`}, nil},
	} {
		events, err := s.Events(t.Context(), a.ID, c.filter, math.MaxInt64, 10)
		require.NoError(t, err, name)
		var got []int64
		for _, e := range events {
			got = append(got, e.Version)
		}
		require.Equal(t, c.want, got, name)
	}
}

func changesArePruned(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	for range 4 {
		newKey(t, s, a.ID, base)
	}
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	for _, keep := range []int64{100, 2} {
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.PruneChanges(ctx, keep) })
		changes, err := s.Changes(t.Context(), 0, 100)
		require.NoError(t, err)
		require.Len(t, changes, int(min(head-1, keep)))
		require.Equal(t, head, changes[len(changes)-1].Version)
	}
	after, err := s.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, head, after)
}

func usesAreTheNewest(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	k, idle := newKey(t, s, a.ID, base.Add(time.Second)), newKey(t, s, a.ID, base)
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	use := func(accountID, keyID string, at time.Time, address string) report.Use {
		return report.Use{AccountID: accountID, KeyID: keyID, At: at, Address: address}
	}
	for _, uses := range [][]report.Use{
		{use(a.ID, k.ID, base, "first"), use(other.ID, idle.ID, base, "not theirs"), use(a.ID, newID(), base, "no key")},
		{use(a.ID, k.ID, base.Add(time.Minute), "second")},
		{use(a.ID, k.ID, base.Add(time.Second), "older")},
		{use(a.ID, k.ID, base.Add(time.Minute), "the same time")},
	} {
		require.NoError(t, s.SaveUses(t.Context(), uses))
	}
	k.LastUsedAt, k.LastUsedFrom = base.Add(time.Minute), "second"
	keys, err := s.Keys(t.Context(), a.ID, base, 0)
	require.NoError(t, err)
	require.Equal(t, []keyring.Key{k, idle}, keys)
	c, err := s.Credential(t.Context(), a.ID, k.ID)
	require.NoError(t, err)
	require.Equal(t, k, c.Key)
	require.Equal(t, head, c.Version, "a use is no change")

	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveKey(ctx, k) })
	keys, err = s.Keys(t.Context(), a.ID, base, 0)
	require.NoError(t, err)
	require.Equal(t, k, keys[0], "a change keeps the use")
}

// manyUses stores more uses than fit into one statement.
func manyUses(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	uses := make([]report.Use, 999)
	for i := range uses {
		uses[i] = report.Use{AccountID: a.ID, KeyID: newID(), At: base}
	}
	k := newKey(t, s, a.ID, base)
	uses = append(uses, report.Use{AccountID: a.ID, KeyID: k.ID, At: base, Address: "last"})
	require.NoError(t, s.SaveUses(t.Context(), uses))
	c, err := s.Credential(t.Context(), a.ID, k.ID)
	require.NoError(t, err)
	require.Equal(t, "last", c.Key.LastUsedFrom)
}
