package store_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// ledger is a month of one busy account up to now: twenty keys that each call four
// of twelve models, and some rare values.
type ledger struct {
	rows  int
	start time.Time
	hours int
}

const (
	busy     = "busy"
	fillDays = 30

	rareRows, rareErrors, rareCosts = 60, 3, 20

	// constantSession has a sixteenth of all requests: a client that never changes its id.
	// robotUser has a quarter of them.
	constantSession, robotUser = "constant", "robot"
)

func newLedger(rows int) ledger {
	hours := fillDays * 24
	return ledger{rows: rows, hours: hours, start: time.Now().UTC().Truncate(time.Hour).Add(-time.Duration(hours) * time.Hour)}
}

// openLedger fills the store. If the store already has a ledger, it returns that one.
func openLedger(b *testing.B, s *store.Store, url string, rows int) ledger {
	l := newLedger(rows)
	first, err := s.Count(b.Context(), `SELECT COALESCE(MIN(hour), 0) FROM hourly WHERE account_id = '`+busy+`'`)
	require.NoError(b, err)
	if first > 0 {
		l.start = time.Unix(int64(first)*3600, 0).UTC()
		return l
	}
	began := time.Now()
	l.fill(b, s, url)
	fmt.Printf("filled %d rows in %s\n", rows, time.Since(began).Round(time.Second))
	began = time.Now()
	require.NoError(b, s.IndexDays(b.Context()))
	fmt.Printf("past days indexed in %s\n", time.Since(began).Round(time.Second))
	began = time.Now()
	// Vacuum, as autovacuum does sooner or later.
	vacuum(b, url)
	fmt.Printf("vacuumed in %s\n", time.Since(began).Round(time.Second))
	return l
}

// fill stores the ledger over two connections. It inserts the first record of each
// day normally, which creates the partition.
func (l ledger) fill(b *testing.B, s *store.Store, url string) {
	l.others(b, s)
	var group errgroup.Group
	for worker := range 2 {
		group.Go(func() error {
			conn, err := pgx.Connect(b.Context(), url)
			if err != nil {
				return err
			}
			defer func() { _ = conn.Close(b.Context()) }()
			for hour := worker; hour < l.hours; hour += 2 {
				if err := store.Copy(b.Context(), conn, l.hour(hour)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(b, group.Wait())
	conn, err := pgx.Connect(b.Context(), url)
	require.NoError(b, err)
	defer func() { _ = conn.Close(b.Context()) }()
	require.NoError(b, store.CopyDays(b.Context(), conn, busy))
	require.NoError(b, store.CopySessions(b.Context(), conn, busy))
	filling := time.Now()
	require.NoError(b, store.CopyGroups(b.Context(), conn))
	fmt.Printf("groups filled in %s\n", time.Since(filling).Round(time.Second/10))
}

// others stores small accounts, and records with content.
func (l ledger) others(b *testing.B, s *store.Store) {
	for day := range fillDays + 1 {
		var batch record.Batch
		for n := range 200 {
			r := storetest.Make(fmt.Sprintf("small-%d", n%5), n)
			r.Time = l.start.AddDate(0, 0, day).Add(time.Duration(n) * time.Second)
			r.ID, r.Content = idAt(r.Time, uint64(day*1000+n)), chat(r.Time.String())
			batch.Records = append(batch.Records, r)
		}
		require.NoError(b, s.Insert(b.Context(), batch))
	}
}

func (l ledger) hour(hour int) []*record.Record {
	var all []*record.Record
	first, end := l.rows*hour/l.hours, l.rows*(hour+1)/l.hours
	for n := first; n < end; n++ {
		at := l.start.Add(time.Duration(hour) * time.Hour).Add(time.Hour * time.Duration(n-first) / time.Duration(end-first))
		all = append(all, l.record(n, at.Truncate(time.Microsecond)))
	}
	return all
}

// id returns the id of the n-th record.
func (l ledger) id(n int) uuid.UUID {
	for _, r := range l.hour(n * l.hours / l.rows) {
		if r.PolicyVersion == fmt.Sprint("p", n) {
			return r.ID
		}
	}
	return uuid.Nil
}

func (l ledger) record(n int, at time.Time) *record.Record {
	random := rand.New(rand.NewPCG(uint64(n), 7))
	low := func(most int) int { return int(float64(most) * random.Float64() * random.Float64()) }
	r := storetest.Make(busy, 0)
	r.ID, r.Time, r.PolicyVersion = idAt(at, random.Uint64()), at, fmt.Sprint("p", n)
	key := low(20)
	model := (key*3 + low(4)) % 12
	r.KeyID, r.KeyName = fmt.Sprint("key_", key), fmt.Sprint("team-", key)
	r.Model, r.Provider, r.BaselineModel = fmt.Sprint("model-", model), fmt.Sprint("provider-", model%4), "model-0"
	r.Stream, r.Tokens = random.IntN(3) > 0, record.Tokens{Input: 100 + int64(low(8000)), Output: 20 + int64(low(1500))}
	r.Cost, r.BaselineCost = storetest.Nano(r.Tokens.Input*50+r.Tokens.Output*150), storetest.Nano(r.Tokens.Input*200+r.Tokens.Output*800)
	r.Latency, r.TTFT, r.Gateway = 200_000+int64(low(9_000_000)), 100_000+int64(low(900_000)), 40+int64(low(400))
	if r.Agent = fmt.Sprint("agent-", key%7); key%7 == 0 {
		r.Protocol = record.ProtocolMessages
	}
	l.work(r, n, key)
	switch random.IntN(40) {
	case 0:
		r.Route = record.RouteFallback
	case 1, 2:
		r.Route = record.RoutePolicy
	}
	if random.IntN(70) == 0 {
		r.Outcome, r.Status, r.Code = record.OutcomeError, 502, fmt.Sprint("PROVIDER_CODE_", random.IntN(6))
		r.Error = fmt.Sprintf("%s answered: overloaded, ask again in %d ms", r.Provider, random.IntN(1000))
	}
	if random.IntN(10) == 0 {
		r.ClientRequestID = fmt.Sprint("client-", n)
	}
	l.unusual(r, n, at, random)
	return r
}

// work makes the record a request of a session of forty requests, of one of two thousand
// users, with tags and metadata.
func (l ledger) work(r *record.Record, n, key int) {
	r.Session, r.User, r.SideCall = l.session(n), fmt.Sprint("user-", n/40%2000), n%10 == 0
	if n%16 == 3 {
		r.Session = constantSession
	}
	if n%4 == 1 {
		r.User = robotUser
	}
	r.Reason.Rule = fmt.Sprint("rule-", key%5)
	r.Inputs = &record.DecisionInputs{
		Tags:     []string{fmt.Sprint("team-", key), "prod"},
		Metadata: map[string]string{"team": fmt.Sprint("team-", key%6), "ticket": fmt.Sprint("T-", n/100)},
	}
}

// session returns the session of the n-th record. Eight sessions run at a time.
func (l ledger) session(n int) string { return fmt.Sprintf("session-%08d", n/320*8+n%8) }

// unusual adds values that are hard to search: rare ones, and ones not used for a
// long time.
func (l ledger) unusual(r *record.Record, n int, at time.Time, random *rand.Rand) {
	every := func(times int) bool { return n%(l.rows/times) == l.rows/times/2 }
	day := int(at.Sub(l.start) / (24 * time.Hour))
	if day < 10 && random.IntN(50) == 0 {
		r.KeyID, r.KeyName = "key_old", "retired"
	}
	if day < 26 && random.IntN(3) == 0 {
		r.RequestedModel = "model-of-last-month"
	}
	if random.IntN(1000) == 0 {
		r.Cost = nil
	}
	if every(rareRows) {
		r.Model, r.RequestedModel, r.Protocol, r.Agent = "rare-model", "rare-request", record.ProtocolGemini, "rare-agent"
		r.Session, r.User, r.Reason.Rule, r.Endpoint = "rare-session", "rare-user", "rare-rule", "embeddings"
		r.Inputs = &record.DecisionInputs{Tags: []string{"rare-tag"}, Metadata: map[string]string{"team": "rare-team"}}
	}
	if every(rareErrors) {
		r.Outcome, r.Status, r.Code, r.Error = record.OutcomeRejected, 418, "RARE_CODE", "the quota of project zebra is used up"
	}
	if every(rareCosts) {
		r.Cost, r.Latency = storetest.Nano(2_000_000_000), 600_000_000
	}
}

func idAt(at time.Time, random uint64) uuid.UUID {
	id := storetest.ID(at, 0)
	binary.BigEndian.PutUint64(id[8:], random&^(1<<63)|1<<63)
	return id
}
