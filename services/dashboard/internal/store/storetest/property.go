package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// totals checks that totals for any filter, range and grouping equal the sums of the
// rows that a reader can page through, after inserts, repeated inserts, replays of
// dead letters and deletions.
func totals(t *testing.T, s *store.Store) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	var all []*record.Record
	for n := range 400 {
		all = append(all, anyRecord(random, n))
	}
	for _, stage := range []struct {
		name string
		do   func()
	}{
		{"stored", func() { storeAsDeadLetters(t, s, all[300:]); insert(t, s, all[:350]...) }},
		{"revived", func() { replayDeadLetters(t, s); insert(t, s, all[:50]...) }},
		{"removed", func() { require.NoError(t, s.DropRequests(t.Context(), fewDaysAgo().AddDate(0, 0, 1))) }},
		{"again", func() { insert(t, s, all[:50]...) }},
	} {
		stage.do()
		for range 30 {
			text, q := anyQuery(t, random)
			by := append(record.Groupings(), "")[random.IntN(len(record.Groupings())+1)]
			requireAddsUp(t, s, fmt.Sprintf("seed %d: %s: %s of %s from %s to %s", seed, stage.name, text, q.Account, q.From, q.To), q, by)
		}
	}
	for _, account := range []string{"acc", "other"} {
		page, err := s.Page(t.Context(), record.Query{Account: account, To: fewDaysAgo().AddDate(0, 0, 1).Truncate(24 * time.Hour)}, nil, 400)
		require.NoError(t, err)
		require.Less(t, len(page.Items), 50, "only what came again is left of the first day")
	}
}

// fewDaysAgo returns a time a few days ago, because data of today is never
// deleted.
func fewDaysAgo() time.Time {
	return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -5).Add(12 * time.Hour)
}

// storeAsDeadLetters stores records as dead letters.
func storeAsDeadLetters(t *testing.T, s *store.Store, all []*record.Record) {
	var b record.Batch
	for n, r := range all {
		raw, err := codec.Encode(r)
		require.NoError(t, err)
		b.DeadLetters = append(b.DeadLetters, record.DeadLetter{Entry: records.Entry{Producer: "p", Seq: uint64(n + 1), Record: raw}})
	}
	require.NoError(t, s.Insert(t.Context(), b))
}

// replayDeadLetters replays all dead letters.
func replayDeadLetters(t *testing.T, s *store.Store) {
	letters, err := s.DeadLettersAfter(t.Context(), record.DeadLetterID{}, true, 1000)
	require.NoError(t, err)
	var b record.Batch
	for _, d := range letters {
		r, err := codec.Decode(d.Entry.Record)
		require.NoError(t, err)
		b.Records, b.Replayed = append(b.Records, r), append(b.Replayed, d.ID)
	}
	require.NoError(t, s.Insert(t.Context(), b))
}

func requireAddsUp(t *testing.T, s *store.Store, name string, q record.Query, by record.GroupBy) {
	t.Helper()
	want := map[string]*bigSums{"": {}}
	for page := range eachPage(t, s, q, 150) {
		for i := range page.Items {
			require.Equal(t, q.Account, page.Items[i].AccountID)
			add(want, &page.Items[i], by, record.SeriesStep(q))
		}
	}
	requireTotals(t, s, name, q, by, want)
}

func requireTotals(t *testing.T, s *store.Store, name string, q record.Query, by record.GroupBy, want map[string]*bigSums) {
	t.Helper()
	impact, err := s.Impact(t.Context(), q, by)
	require.NoError(t, err, name)
	require.Equal(t, want[""].sums(), impact.Sums, name)
	for _, g := range impact.Groups {
		require.Equal(t, want["group "+g.Value].sums(), g.Sums, name)
	}
	for _, d := range impact.Series {
		require.Equal(t, want["step "+d.Start.String()].sums(), d.Sums, name)
	}
	require.Len(t, want, 1+len(impact.Groups)+len(impact.Series), name)
	figures, err := s.Figures(t.Context(), q)
	require.NoError(t, err, name)
	require.Equal(t, impact.Requests, figures.Requests, name)
}

func anyRecord(random *rand.Rand, n int) *record.Record {
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	r := Make(pick("acc", "other"), n)
	at := fewDaysAgo().Add(time.Duration(random.Int64N(int64(60 * time.Hour)))).Truncate(time.Microsecond)
	if random.IntN(4) == 0 {
		at = at.Truncate(time.Hour) // exactly on an edge
	}
	At(r, at)
	r.Model, r.Provider, r.RequestedModel = pick("small", "large", "larger", ""), pick("alpha", "beta"), pick("auto", "large")
	r.KeyID, r.KeyName = pick("key_1", "key_2"), pick("prod", "test", "key_1")
	r.Protocol, r.Agent = record.Protocol(pick("chat", "messages")), pick("claude-code", "codex", "")
	r.Session, r.User, r.Reason.Rule = pick("s1", "s2", ""), pick("ann", "bob", ""), pick("default", "eu", "")
	r.Inputs = &record.DecisionInputs{Metadata: map[string]string{"team": pick("search", "ads", "")}, Tags: []string{pick("prod", "test")}}
	r.Route = record.Route(pick("expected", "fallback", "policy", ""))
	r.Outcome, r.Status = record.OutcomeOK, 200
	if random.IntN(5) == 0 {
		r.Outcome, r.Status, r.Code, r.Error = record.OutcomeError, 502, "PROVIDER_TIMEOUT", "it took too long"
	}
	r.Stream, r.Latency, r.TTFT = random.IntN(2) == 0, random.Int64N(5_000_000), random.Int64N(1000)
	r.Cost, r.BaselineCost = anyAmount(random), anyAmount(random)
	r.ApplyBaselineRule()
	return r
}

// anyAmount returns an unknown amount, an ordinary one, or the maximum.
func anyAmount(random *rand.Rand) *int64 {
	switch random.IntN(12) {
	case 0:
		return nil
	case 1:
		return Nano(math.MaxInt64)
	case 2:
		return Nano(random.Int64N(math.MaxInt64))
	}
	return Nano(random.Int64N(10_000_000_000))
}

func anyQuery(t *testing.T, random *rand.Rand) (string, record.Query) {
	terms := []string{
		"model:large", "model:la*", "-model:small", "provider:beta", "key:key_1", "key:prod", "route:fallback", "-route:*",
		"outcome:ok", "-outcome:ok", "stream:true", "status:200", "code:PROVIDER_TIMEOUT", "requested_model:large",
		"protocol:messages", "-protocol:chat", "agent:codex", "agent:c*", "-agent:*",
		"session:s1", "-session:s1", "user:ann", "-user:*", "rule:eu", "endpoint:chat", "tag:prod", "-tag:test", "meta.team:ads", "-meta.team:s*",
		"cost:>$2", "-cost:>$2", "saved:<0", "latency:<1s", "ttft:>500us", "tokens:15", "has:error", "is:unpriced", "long", "lar",
	}
	text := ""
	for range random.IntN(4) {
		text += " " + terms[random.IntN(len(terms))]
	}
	q := filter(t, []string{"acc", "other"}[random.IntN(2)], text)
	span := func() time.Time { return fewDaysAgo().Add(time.Duration(random.Int64N(int64(60 * time.Hour)))) }
	if random.IntN(3) > 0 {
		q.From = span()
	}
	if random.IntN(3) > 0 {
		q.To = span()
	}
	if random.IntN(3) == 0 {
		step := []time.Duration{time.Hour, 24 * time.Hour}[random.IntN(2)]
		q.From, q.To = q.From.Truncate(step), q.To.Truncate(step)
	}
	if !q.To.IsZero() && q.To.Before(q.From) {
		q.From, q.To = q.To, q.From
	}
	return text, q
}
