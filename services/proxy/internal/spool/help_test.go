package spool

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

func config(t testing.TB, dir string) Config {
	return Config{
		Dir:       dir,
		Log:       slog.New(slog.NewTextHandler(t.Output(), nil)),
		Recover:   abortedText,
		StripBody: stripText,
	}
}

func abortedText(start []byte) ([]byte, error) { return append([]byte("aborted "), start...), nil }

// stripText treats the text after a bar as the record's body.
func stripText(record []byte) ([]byte, bool) {
	meta, _, had := bytes.Cut(record, []byte("|"))
	return meta, had
}

// logged returns a config and its log, which contains only WARN and above.
// logBuffer is safe for concurrent use: the spool writes to its log in goroutines.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *logBuffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
}

func logged(t testing.TB, dir string) (Config, *logBuffer) {
	c, log := config(t, dir), &logBuffer{}
	c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return c, log
}

func open(t testing.TB, c Config) *Spool {
	t.Helper()
	s, err := Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func withHeadroom(payload []byte) []byte { return segment.WithHeadroom(payload) }

func id(n int) (out [16]byte) {
	binary.BigEndian.PutUint64(out[8:], uint64(n))
	return out
}

// crash leaves the directories as a killed process does.
func crash(s *Spool) {
	s.closeOnce.Do(func() {})
	s.cancel()
	s.loops.Wait()
	s.shipMu.Lock()
	defer s.shipMu.Unlock()
	die(s.own)
	if s.queue.savedJournal != nil {
		die(s.queue.savedJournal)
	}
	for _, l := range s.shippers[2:] {
		l.adopted.lock.Close()
	}
}

func die(j *journal) {
	if j.lock != nil {
		j.lock.Close()
	}
	if j.activeFile != nil {
		j.activeFile.Close()
	}
}

func (s *Spool) adopted() int { return len(s.listShippers()) - 2 }

func (s *Spool) queued() int { return len(s.queue.unsavedItems()) }

type rowKey struct {
	producer string
	seq      uint64
}

// ledger is the store behind a publisher.
type ledger struct {
	mu    sync.Mutex
	rows  map[rowKey]string
	count map[rowKey]int // how often it came
	order []string       // the texts as they came
}

func newLedger() *ledger { return &ledger{rows: map[rowKey]string{}, count: map[rowKey]int{}} }

func (l *ledger) consume(ctx context.Context, src records.Source) {
	for {
		b, err := src.Next(ctx)
		if err != nil {
			return
		}
		committed := l.keep(b.Entries)
		if b.Ack(ctx, committed) != nil {
			return
		}
	}
}

func (l *ledger) keep(entries []records.Entry) map[string][]records.Range {
	l.mu.Lock()
	defer l.mu.Unlock()
	committed := map[string][]records.Range{}
	for _, e := range entries {
		k := rowKey{e.Producer, e.Seq}
		l.rows[k] = string(e.Record)
		l.count[k]++
		l.order = append(l.order, string(e.Record))
		committed[e.Producer] = append(committed[e.Producer], records.Range{First: e.Seq, Last: e.Seq})
	}
	return committed
}

// direct is a publisher that stores records at once and outlives the spools that use
// it.
type direct struct{ *ledger }

func (d direct) Publish(_ context.Context, entries []records.Entry) error {
	d.keep(entries)
	return nil
}

func (direct) ReportState(context.Context, records.ProducerState) error { return nil }

func (direct) ReportRunning(context.Context, string, []records.RunningRequest) error { return nil }

func (d direct) CommittedRanges(_ context.Context, producer string) ([]records.Range, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []records.Range
	for k := range d.rows {
		if k.producer == producer {
			out = append(out, records.Range{First: k.seq, Last: k.seq})
		}
	}
	return out, nil
}

// texts returns the records of all rows, sorted. A record stored under two numbers
// appears twice.
func (l *ledger) texts() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Values(l.rows))
}

// of returns the rows of some producers, by their number.
func (l *ledger) of(want func(producer string) bool) map[uint64]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[uint64]string{}
	for k, text := range l.rows {
		if want(k.producer) {
			out[k.seq] = text
		}
	}
	return out
}

// ship runs Ship and a ledger until the returned function is called.
func ship(t testing.TB, s *Spool, pub records.Publisher, src records.Source, l *ledger) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { l.consume(ctx, src) })
	wg.Go(func() {
		if err := s.Ship(ctx, pub); err != nil {
			t.Error(err)
		}
	})
	return func() { cancel(); wg.Wait() }
}

// flaky is a publisher that refuses or loses records on demand.
type flaky struct {
	*records.Memory
	mu           sync.Mutex
	refuse, lose bool
	deaf         bool // Committed fails
	calls        int
	entries      int
}

func (f *flaky) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *flaky) Publish(ctx context.Context, entries []records.Entry) error {
	f.mu.Lock()
	f.calls++
	f.entries += len(entries)
	refuse, lose := f.refuse, f.lose
	f.mu.Unlock()
	if refuse {
		return errors.New("refused")
	}
	if lose {
		return nil
	}
	return f.Memory.Publish(ctx, entries)
}

func (f *flaky) CommittedRanges(ctx context.Context, producer string) ([]records.Range, error) {
	f.mu.Lock()
	deaf := f.deaf
	f.mu.Unlock()
	if deaf {
		return nil, errors.New("no answer")
	}
	return f.Memory.CommittedRanges(ctx, producer)
}

func (f *flaky) published() (calls, entries int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, f.entries
}

// names lists the files of a spool, by their path in it.
func names(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, rel)
		}
		return err
	}))
	return out
}

// segmentsOf returns the paths of the producer's segments, in order.
func segmentsOf(t testing.TB, dir, producer string) []string {
	t.Helper()
	files, err := segment.List(filepath.Join(dir, producer))
	require.NoError(t, err)
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func copyTree(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}
