package storetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// inSession returns the n-th record of an account as a turn of a session.
func inSession(account, session string, n int) *record.Record {
	r := Make(account, n)
	r.Session, r.Agent, r.User = session, "claude-code", "ann"
	r.Tokens = record.Tokens{Input: 10, CacheRead: 70, CacheWrite: 20, Output: 5}
	return r
}

func sessions(t *testing.T, s *store.Store) {
	title, failed, closed, unpriced := inSession("acc", "work", 1), inSession("acc", "work", 2), inSession("acc", "work", 3), inSession("acc", "work", 4)
	title.SideCall, title.Agent, title.User = true, "", ""
	failed.Outcome, closed.Outcome, unpriced.Cost = record.OutcomeRejected, record.OutcomeClientClosed, nil
	first := inSession("acc", "work", 0)
	theirs := inSession("other", "work", 9)
	theirs.User = "bob"
	insert(t, s, title, failed, theirs, Make("acc", 8))
	for range 2 { // some of these records are stored already
		insert(t, s, first, title, closed, unpriced)
	}
	got, err := s.Session(t.Context(), "acc", "work")
	require.NoError(t, err)
	require.Equal(t, record.Session{
		ID: "work", Agent: "claude-code", User: "ann", Started: first.Time, Ended: unpriced.Time.Add(1500 * time.Microsecond),
		Requests: 5, SideCalls: 1, Errors: 1, Unpriced: 1, Cost: 400, Saved: 3600, Input: 50, CacheRead: 350, CacheWrite: 100,
	}, got)
	require.EqualValues(t, 4, got.Turns())
	percent, ok := got.CacheHitPercent()
	require.True(t, ok)
	require.InDelta(t, 70.0, percent, 0)

	page, err := s.SessionRequests(t.Context(), "acc", "work", nil, 3)
	require.NoError(t, err)
	rest, err := s.SessionRequests(t.Context(), "acc", "work", page.Next, 3)
	require.NoError(t, err)
	require.Nil(t, rest.Next)
	require.Equal(t, []string{first.ID.String(), title.ID.String(), failed.ID.String(), closed.ID.String(), unpriced.ID.String()}, append(ids(page), ids(rest)...))

	other, err := s.Session(t.Context(), "other", "work")
	require.NoError(t, err)
	require.Equal(t, []any{int64(1), "bob"}, []any{other.Requests, other.User})
	for account, id := range map[string]string{"acc": "none", "": "work", "third": "work"} {
		_, err = s.Session(t.Context(), account, id)
		require.True(t, apperr.Is(err, apperr.NotFound), err)
		page, err := s.SessionRequests(t.Context(), account, id, nil, 3)
		require.NoError(t, err)
		require.Empty(t, page.Items)
	}
}

func sessionLists(t *testing.T, s *store.Store) {
	for n := range 9 {
		r := inSession("acc", fmt.Sprintf("Run-%d", n), 0)
		At(r, Base().Add(time.Duration(n/2)*time.Hour)) // two end at the same time
		r.ID[15] = byte(n)
		r.Cost, r.Latency = Nano(int64(n*7%5)), 0
		r.Agent, r.User = []string{"codex", "claude-code"}[n%2], fmt.Sprint("user ", n%3)
		insert(t, s, r)
	}
	insert(t, s, inSession("other", "Run-99", 50))
	for _, c := range []struct {
		name string
		q    record.SessionQuery
		want string
	}{
		{"newest first", record.SessionQuery{}, "8 7 6 5 4 3 2 1 0"},
		{"by cost", record.SessionQuery{Sort: record.SortByCost}, "7 2 4 6 1 8 3 5 0"},
		{"agent", record.SessionQuery{Agent: "codex"}, "8 6 4 2 0"},
		{"user", record.SessionQuery{User: "user 1"}, "7 4 1"},
		{"both", record.SessionQuery{Agent: "codex", User: "user 1"}, "4"},
		{"part of an id", record.SessionQuery{Search: "uN-4"}, "4"},
		{"all ids", record.SessionQuery{Search: "run-"}, "8 7 6 5 4 3 2 1 0"},
		{"another account's id", record.SessionQuery{Search: "99"}, ""},
		{"a pattern is a text", record.SessionQuery{Search: "%"}, ""},
		{"time", record.SessionQuery{From: Base().Add(time.Hour), To: Base().Add(2*time.Hour + time.Microsecond)}, "5 4 3 2"},
	} {
		c.q.Account = "acc"
		var got []string
		for after := (*record.SessionCursor)(nil); ; {
			page, err := s.Sessions(t.Context(), c.q, after, 2)
			require.NoError(t, err, c.name)
			for _, one := range page.Items {
				got = append(got, strings.TrimPrefix(one.ID, "Run-"))
			}
			if page.Next == nil {
				break
			}
			after, err = record.ParseSessionCursor(page.Next.String())
			require.NoError(t, err)
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.name)
	}
}

// sessionsAddUp stores random records several times at once, and compares the sums of the
// sessions with those of the stored records.
func sessionsAddUp(t *testing.T, s *store.Store) {
	random := rand.New(rand.NewPCG(3, 4))
	var made []*record.Record
	for n := range 200 {
		r := anyRecord(random, n)
		r.Session = []string{"", "a", "b", "c\x00"}[random.IntN(4)]
		r.SideCall, r.Tokens.CacheRead = random.IntN(5) == 0, random.Int64N(1000)
		r.Cost, r.BaselineCost = Nano(random.Int64N(1e12)), Nano(random.Int64N(1e12))
		made = append(made, r)
	}
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for w := range errs {
		wait.Go(func() {
			for start := 0; start < len(made) && errs[w] == nil; start += 10 + w {
				errs[w] = s.Insert(t.Context(), record.Batch{Records: made[start:min(start+20, len(made))]})
			}
		})
	}
	wait.Wait()
	require.Equal(t, make([]error, 4), errs)
	for _, account := range []string{"acc", "other"} {
		want := map[string][4]int64{}
		for page := range eachPage(t, s, all(account), 100) {
			for i := range page.Items {
				if r := &page.Items[i]; r.Session != "" {
					sum := want[r.Session]
					for k, v := range [4]int64{1, *r.Cost, r.Tokens.CacheRead, 0} {
						sum[k] += v
					}
					if r.SideCall {
						sum[3]++
					}
					want[r.Session] = sum
				}
			}
		}
		page, err := s.Sessions(t.Context(), record.SessionQuery{Account: account}, nil, 10)
		require.NoError(t, err)
		got := map[string][4]int64{}
		for _, one := range page.Items {
			got[one.ID] = [4]int64{one.Requests, one.Cost, one.CacheRead, one.SideCalls}
		}
		require.Equal(t, want, got)
		require.Len(t, got, 3)
	}
}

func hugeSessions(t *testing.T, s *store.Store) {
	for n := range 4 {
		r := inSession("acc", "work", n)
		r.Cost, r.BaselineCost, r.Latency, r.Tokens.CacheRead = Nano(1<<62), Nano(0), 1<<62, 1<<62
		insert(t, s, r)
	}
	got, err := s.Session(t.Context(), "acc", "work")
	require.NoError(t, err)
	require.EqualValues(t, 4_000_000_000_000_000_000, got.Cost)
	require.EqualValues(t, -4_000_000_000_000_000_000, got.Saved)
	require.EqualValues(t, 4_000_000_000_000, got.CacheRead)
	require.Equal(t, Base().Add(24*time.Hour+3*time.Second), got.Ended)
}

func labels(t *testing.T, s *store.Store) {
	for n, in := range []*record.DecisionInputs{
		{Tags: []string{"prod", "eu"}, Metadata: map[string]string{"team": "search", "a \"b\"": "it's \\ % ü"}},
		{Tags: []string{"prod"}, Metadata: map[string]string{"team": "search-ui", "empty": ""}},
		{Tags: []string{"a\x00b"}, Metadata: map[string]string{"long": strings.Repeat("x", 1000), "\x00": "\xff"}},
		nil,
		manyLabels(),
	} {
		r := Make("acc", n)
		r.Inputs, r.User = in, []string{"ann", "bob", "", "", ""}[n]
		r.Reason.Rule = []string{"cheap", "", "eu", "eu", "eu"}[n]
		r.Endpoint, r.Session = []string{"chat", "embeddings", "chat", "chat", "chat"}[n], []string{"s/1", "s 2", "", "", ""}[n]
		insert(t, s, r, r)
		insert(t, s, r)
	}
	insert(t, s, Make("other", 7))
	for text, want := range map[string]string{
		"tag:prod": "1 0", "tag:pro*": "1 0", "-tag:prod": "4 3 2", "tag:*": "4 2 1 0", "-tag:*": "3", "tag:pro": "", "tag:eu": "0",
		"tag:eu tag:none": "0", "tag:prod -tag:eu": "1", "tag:search": "", "tag:prod meta.team:search": "0",
		"meta.team:search": "0", "meta.team:search*": "1 0", "meta.team:*": "1 0", "-meta.team:*": "4 3 2", "meta.empty:*": "",
		"meta.team:search meta.team:search-ui": "1 0", "-meta.team:search": "4 3 2 1", "meta.long:" + strings.Repeat("x", 300): "2",
		"meta.long:xxx*": "2", "meta.tag.prod:*": "", "meta.none:x": "", "user:ann": "0", "-user:*": "4 3 2", "user:b*": "1",
		"rule:eu": "4 3 2", "-rule:*": "1", "endpoint:embeddings": "1", "session:s/1": "0", `session:"s 2"`: "1", "session:s*": "1 0", "-session:*": "4 3 2",
		"tag:tag-00": "4", "tag:tag-31": "4", "tag:tag-32": "", "meta.name-00:value": "4", "meta.name-15:value": "4", "meta.name-16:value": "",
	} {
		page, err := s.Page(t.Context(), filter(t, "acc", text), nil, 50)
		require.NoError(t, err, text)
		var got []string
		for _, r := range page.Items {
			got = append(got, fmt.Sprint(int(r.Time.Sub(Base())/time.Second)))
		}
		require.Equal(t, want, strings.Join(got, " "), text)
	}
	for by, want := range map[record.GroupBy]string{
		"meta.team": ":3 search:1 search-ui:1", `meta.a "b"`: `:4 it's \ % ü:1`, record.GroupUser: ":3 ann:1 bob:1",
		record.GroupRule: "eu:3 :1 cheap:1", record.GroupEndpoint: "chat:4 embeddings:1", record.GroupSession: ":3 s 2:1 s/1:1",
	} {
		require.Equal(t, want, groups(t, s, by), by)
	}
	got := groups(t, s, record.GroupTag)
	require.Contains(t, got, "prod:2 :1 ")
	require.Contains(t, got, " eu:1 tag-00:1 ")
	impact, err := s.Impact(t.Context(), filter(t, "acc", "tag:prod"), record.GroupTag)
	require.NoError(t, err)
	require.EqualValues(t, 2, impact.Requests)
	require.Len(t, impact.Groups, 2)
}

// manyLabels returns more tags and metadata than are indexed.
func manyLabels() *record.DecisionInputs {
	in := &record.DecisionInputs{Metadata: map[string]string{}}
	for n := range 100 {
		in.Tags = append(in.Tags, fmt.Sprintf("tag-%02d", n))
		in.Metadata[fmt.Sprintf("name-%02d", n)] = "value"
	}
	return in
}

// groups lists the groups and their requests. The total must count each request once.
func groups(t *testing.T, s *store.Store, by record.GroupBy) string {
	t.Helper()
	impact, err := s.Impact(t.Context(), all("acc"), by)
	require.NoError(t, err)
	require.EqualValues(t, 5, impact.Requests)
	require.EqualValues(t, 5*900, impact.Saved)
	require.Len(t, impact.Series, 1)
	require.EqualValues(t, 5, impact.Series[0].Requests)
	var out []string
	for _, g := range impact.Groups {
		out = append(out, fmt.Sprint(g.Value, ":", g.Requests))
	}
	return strings.Join(out, " ")
}
