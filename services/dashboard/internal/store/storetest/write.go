package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

func idempotent(t *testing.T, s *store.Store) {
	var batch record.Batch
	for n := range 300 { // more than one statement takes
		r := Make("acc", n)
		r.Content = &record.Content{Request: []byte("q"), Response: []byte("a"), RequestBytes: 1, ResponseBytes: 1}
		batch.Records = append(batch.Records, r)
	}
	batch.DeadLetters = []record.DeadLetter{{Entry: records.Entry{Producer: "p", Seq: 301, Record: []byte("?")}, Reason: "not a record"}}
	batch.Committed = one("p", 1, 301)
	for range 2 {
		require.NoError(t, s.Insert(t.Context(), batch))
	}
	impact, err := s.Impact(t.Context(), all("acc"), "")
	require.NoError(t, err)
	require.EqualValues(t, 300, impact.Requests)
	producers, err := s.Completeness(t.Context())
	require.NoError(t, err)
	require.Equal(t, []record.Producer{{Name: "p", HighestSeq: 301, Stored: 301, DeadLetters: 1}}, producers)

	// The first version stays, because rows never change.
	changed := Make("acc", 0)
	changed.Model = "other"
	insert(t, s, changed)
	got, err := s.Get(t.Context(), "acc", changed.ID)
	require.NoError(t, err)
	require.Equal(t, "small", got.Model)
}

func allFields(t *testing.T, s *store.Store) {
	r := Make("acc", 1)
	r.Time = r.Time.Add(123456 * time.Microsecond)
	r.TraceID, r.ClientRequestID, r.ClientAddress, r.ClientRetry = "0123456789abcdef0123456789abcdef", "mine", "192.0.2.1", 2
	r.Protocol, r.Agent = record.ProtocolMessages, "claude-code"
	r.Session, r.User, r.SideCall = "work", "ann", true
	r.Stream, r.Code, r.Error, r.Route = true, "PROVIDER_UPSTREAM_ERROR", "alpha answered 500", record.RouteFallback
	r.Tokens = record.Tokens{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4, Reasoning: 5}
	r.Cost, r.AuthTime, r.RouteTime = nil, 11, 12
	r.Attempts = []record.Attempt{{
		Provider: "alpha", Model: "small", Status: 500, Code: "PROVIDER_UPSTREAM_ERROR",
		Started: 10, FirstToken: 20, Ended: 30, Cost: Nano(0), UpstreamRequestID: "up",
	}}
	r.Candidates = []record.Candidate{{Model: "small", Provider: "alpha", Verdict: "CHOSEN", Text: "cheapest", PredictedCost: Nano(7)}}
	r.Features = map[string]int64{"turns": 3}
	r.PolicyVersion, r.CatalogVersion, r.EngineVersion = "p1", "c1", "e1"
	r.Rollout = &record.Rollout{ID: "ro", Stable: "p1", Candidate: "p2", Share: 1000}
	r.Content = &record.Content{Request: []byte{0, 255}, Response: []byte{}, RequestBytes: 70000, ResponseBytes: 0}
	insert(t, s, r)
	got, err := s.Get(t.Context(), "acc", r.ID)
	require.NoError(t, err)
	require.Empty(t, got.Content.Response)
	got.Content.Response = r.Content.Response // drivers return nil or empty
	require.Equal(t, r, got)
}

func ranges(t *testing.T, s *store.Store) {
	for _, c := range []struct {
		add  map[string][]records.Range
		want []record.Producer
	}{
		{one("p", 5, 6), []record.Producer{{Name: "p", HighestSeq: 6, Stored: 2}}},
		{one("p", 9, 12), []record.Producer{{Name: "p", HighestSeq: 12, Stored: 6}}},
		{one("p", 1, 4), []record.Producer{{Name: "p", HighestSeq: 12, Stored: 10}}},
		{one("p", 5, 11), []record.Producer{{Name: "p", HighestSeq: 12, Stored: 12}}},
		{one("q", 2, 2), []record.Producer{{Name: "q", HighestSeq: 2, Stored: 1}, {Name: "p", HighestSeq: 12, Stored: 12}}},
	} {
		require.NoError(t, s.Insert(t.Context(), record.Batch{Committed: c.add}))
		got, err := s.Completeness(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	require.EqualValues(t, 1, record.Producer{HighestSeq: 2, Stored: 1}.CountDeliveries(time.Now()).Missing)
}

func deadLetters(t *testing.T, s *store.Store) {
	dead := record.DeadLetter{Entry: records.Entry{Producer: "p\x00", Seq: 1 << 63, Record: nil}, Reason: "bad \xff\x00"}
	require.NoError(t, s.Insert(t.Context(), record.Batch{DeadLetters: []record.DeadLetter{dead}, Committed: one("p\x00", 1, 1)}))
	got, err := s.Completeness(t.Context())
	require.NoError(t, err)
	require.Equal(t, []record.Producer{{Name: "p\uFFFD", HighestSeq: 1, Stored: 1, DeadLetters: 1}}, got)
}

func texts(t *testing.T, s *store.Store) {
	r := Make("acc", 1)
	r.RequestedModel, r.KeyName, r.Error = "a\x00b", "bad \xff\xfe", "\x00"
	r.Protocol, r.Agent = "\x00", "\xff\x00"
	r.Session, r.User, r.Reason.Rule = "\x00", "\xff", "\xff\x00"
	r.Inputs = &record.DecisionInputs{Tags: []string{"\xff\x00"}, Metadata: map[string]string{"\x00": "\xff"}}
	r.Features = map[string]int64{"\xff": 1}
	r.Content = &record.Content{Request: []byte("\x00\xff"), Response: []byte("ok")}
	insert(t, s, r)
	got, err := s.Get(t.Context(), "acc", r.ID)
	require.NoError(t, err)
	require.Equal(t, "bad \uFFFD", got.KeyName)
	require.Equal(t, []byte("\x00\xff"), got.Content.Request)
}

// anyDay stores ids of days that have no partition, long ago and far ahead, and
// of today, which has one.
func anyDay(t *testing.T, s *store.Store) {
	var made []*record.Record
	for n, at := range []time.Time{time.UnixMilli(0), time.Now(), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		r := Make("acc", n)
		r.ID = ID(at, n)
		made = append(made, r)
	}
	for range 2 {
		insert(t, s, made...)
	}
	for _, r := range made {
		got, err := s.Get(t.Context(), "acc", r.ID)
		require.NoError(t, err)
		require.Equal(t, r.ID, got.ID)
	}
	page, err := s.Page(t.Context(), all("acc"), nil, 10)
	require.NoError(t, err)
	require.Len(t, page.Items, 3)
}

func twoWriters(t *testing.T, s *store.Store) {
	const each = 20
	// The first insert of a day creates its partitions, with a short timeout for locks that on a
	// busy machine the other writer may hold.
	first := Make("acc", 2*each)
	first.ID = uuid.Must(uuid.NewV7())
	insert(t, s, first)
	var wait sync.WaitGroup
	errs := make([]error, 2)
	for w := range 2 {
		wait.Go(func() {
			for n := range each {
				seq := uint64(2*n + w + 1)
				r := Make("acc", 2*n+w)
				r.ID = uuid.Must(uuid.NewV7())
				err := s.Insert(context.Background(), record.Batch{Records: []*record.Record{r}, Committed: one("p", seq, seq)})
				if err != nil {
					errs[w] = err
				}
			}
		})
	}
	wait.Wait()
	require.Equal(t, []error{nil, nil}, errs)
	got, err := s.Completeness(t.Context())
	require.NoError(t, err)
	require.Equal(t, []record.Producer{{Name: "p", HighestSeq: 2 * each, Stored: 2 * each}}, got)
}
