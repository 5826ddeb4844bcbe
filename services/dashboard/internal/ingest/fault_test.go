package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/signals"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// commit is the message that ends a transaction in Postgres.
var commit = []byte("commit\x00")

// cutter is a proxy to Postgres that cuts connections at commits. In turns it cuts
// after the server has committed, so that the outcome is unknown, before the server
// receives the commit, or not at all.
type cutter struct {
	net.Listener
	to      string
	armed   atomic.Bool
	commits atomic.Int64
	cut     atomic.Int64
}

// newCutter returns the URL of Postgres behind the cutter.
func newCutter(t *testing.T, at string) (*cutter, string) {
	u, err := url.Parse(at)
	require.NoError(t, err)
	c := &cutter{to: u.Host}
	c.Listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wait sync.WaitGroup
	wait.Go(func() { c.serve(&wait) })
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		wait.Wait()
	})
	u.Host = c.Addr().String()
	return c, u.String()
}

func (c *cutter) serve(wait *sync.WaitGroup) {
	for {
		client, err := c.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		wait.Go(func() { c.carry(client, server) })
	}
}

func (c *cutter) carry(client, server net.Conn) {
	var mute atomic.Bool
	var wait sync.WaitGroup
	wait.Go(func() {
		defer func() { _ = client.Close() }()
		_, _ = io.Copy(muted{client, &mute}, server)
	})
	buf := make([]byte, 1<<20)
	for {
		n, err := client.Read(buf)
		if err != nil {
			break
		}
		if c.armed.Load() && bytes.Contains(buf[:n], commit) {
			turn := c.commits.Add(1) % 3
			if turn == 2 {
				c.cut.Add(1)
				break // the server never receives it
			}
			mute.Store(turn == 1) // or its response is lost
		}
		if _, err := server.Write(buf[:n]); err != nil {
			break
		}
		if mute.Load() {
			c.cut.Add(1)
		}
	}
	_ = server.Close()
	wait.Wait()
}

// muted closes a connection instead of passing on a response.
type muted struct {
	io.Writer
	mute *atomic.Bool
}

func (m muted) Write(p []byte) (int, error) {
	if m.mute.Load() {
		return 0, io.ErrClosedPipe
	}
	return m.Writer.Write(p)
}

// TestCommitsOfUnknownOutcome checks that every record is stored and counted once,
// whether its commit succeeded or not.
func TestCommitsOfUnknownOutcome(t *testing.T) {
	between, at := newCutter(t, testenv.Postgres(t))
	ledger := storetest.Open(t, at)
	require.NoError(t, ledger.CreatePartitions(t.Context(), 1))
	between.armed.Store(true)
	carrier := records.NewMemory()
	stop := run(t, &Ingest{Source: carrier, Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})
	const batches, each = 5, 5
	for b := range batches {
		var entries []records.Entry
		for n := range each {
			e, _ := entry(t, "p", uint64(b*each+n+1), func(r *recordv1.RequestRecord) { r.CostNanoUsd = new(int64(7)) })
			entries = append(entries, e)
		}
		require.NoError(t, carrier.Publish(t.Context(), entries))
		last := uint64((b + 1) * each)
		require.Eventually(t, func() bool { return proven(t, carrier, "p", last) }, waitLimit, waitTick)
	}
	stop(func() bool { return true })
	between.armed.Store(false)
	require.GreaterOrEqual(t, between.cut.Load(), int64(batches), "connections were cut")
	requireStored(t, ledger, batches*each)
	impact, err := ledger.Impact(t.Context(), record.Query{Account: "acc"}, "")
	require.NoError(t, err)
	require.EqualValues(t, 7*batches*each, impact.Routed)
}

// requireStored checks the number of records of the account in rows and in sums.
func requireStored(t *testing.T, ledger *store.Store, want int) {
	t.Helper()
	page, err := ledger.Page(t.Context(), record.Query{Account: "acc"}, nil, 500)
	require.NoError(t, err)
	require.Len(t, page.Items, want)
	impact, err := ledger.Impact(t.Context(), record.Query{Account: "acc"}, "")
	require.NoError(t, err)
	require.EqualValues(t, want, impact.Requests)
}

// forgetful is a carrier whose first acknowledgements fail, as after a crash
// between commit and acknowledgement.
type forgetful struct {
	records.Source
	failures int
}

func (f *forgetful) Next(ctx context.Context) (records.Batch, error) {
	b, err := f.Source.Next(ctx)
	if err == nil && f.failures > 0 {
		f.failures--
		b.Ack = func(context.Context, map[string][]records.Range) error { return errors.New("died") }
	}
	return b, err
}

func TestABatchThatComesAgainIsStoredOnce(t *testing.T) {
	ledger, carrier := openLedger(t), records.NewMemory()
	stop := run(t, &Ingest{Source: &forgetful{carrier, 3}, Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})
	first, _ := entry(t, "p", 1, nil)
	second, _ := entry(t, "p", 2, nil)
	require.NoError(t, carrier.Publish(t.Context(), []records.Entry{first, second}))
	stop(func() bool { return proven(t, carrier, "p", 2) })
	requireStored(t, ledger, 2)
}

// TestInvalidRecordsDoNotBlockOthers checks that every bad record becomes a sanitized row or
// a dead letter, and every good one a row.
func TestInvalidRecordsDoNotBlockOthers(t *testing.T) {
	ledger := storetest.Open(t, testenv.Postgres(t))
	long := strings.Repeat("x", 10<<20)
	rows := []func(*recordv1.RequestRecord){
		nil,
		func(r *recordv1.RequestRecord) { r.RequestedModel, r.KeyName, r.Error = "a\x00", "\x00", "\x00" },
		func(r *recordv1.RequestRecord) {
			r.Content = &recordv1.Content{Request: []byte(`"\ud800"` + "\x00\xff")}
		},
		func(r *recordv1.RequestRecord) { r.Content = &recordv1.Content{Response: []byte(long)} },
		func(r *recordv1.RequestRecord) { r.Model, r.Error = long[:1<<20], long },
		func(r *recordv1.RequestRecord) { r.Tokens = &recordv1.Tokens{Input: -5, Output: -1 << 63} },
		func(r *recordv1.RequestRecord) {
			r.CostNanoUsd, r.BaselineNanoUsd = new(int64(-1<<63)), new(int64(1<<63-1))
		},
	}
	letters := []func(*recordv1.RequestRecord){
		func(r *recordv1.RequestRecord) { r.Schema = 0 },
		func(r *recordv1.RequestRecord) { r.Schema = 99 },
		func(r *recordv1.RequestRecord) { r.Route = 77 },
		func(r *recordv1.RequestRecord) { r.AccountId = long },
	}
	var entries []records.Entry
	for _, change := range append(rows, letters...) {
		e, _ := entry(t, "p", uint64(len(entries)+1), change)
		entries = append(entries, e)
	}
	carrier := records.NewMemory()
	stop := run(t, &Ingest{Source: carrier, Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, carrier.Publish(t.Context(), entries))
	stop(func() bool { return proven(t, carrier, "p", uint64(len(entries))) })
	requireStored(t, ledger, len(rows))
	dead, err := ledger.DeadLetters(t.Context(), 50)
	require.NoError(t, err)
	require.Len(t, dead, len(letters))
	for _, d := range dead {
		require.Equal(t, d.ID.Seq == int64(len(rows)+2), d.Parked, d.Reason)
	}
}
