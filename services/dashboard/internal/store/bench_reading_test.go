package store_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// reading is a kind of read with a target time.
type reading struct {
	name string
	most time.Duration // zero for no target
	// read reads once, with a different choice each time, and returns the count.
	read func(ctx context.Context, n int) (int, error)
	want int // the expected count, if known
	// mayTimeOut is set for a read of more rows than the read timeout allows at ten million.
	mayTimeOut bool
}

// BenchmarkReading fills a Postgres with ROWS records of a month (default 50,000)
// and prints how long each kind of read takes, how large a request is, how soon a day is deleted, and
// how many records are stored per second beside readers. `make bench-store` runs it with ten
// million. With POSTGRES_URL it uses that database, and fills it only if it is empty. With
// ONLY, a regular expression, it measures only the reads and parts whose names match.
func BenchmarkReading(b *testing.B) {
	rows, err := strconv.Atoi(os.Getenv("ROWS"))
	if err != nil {
		rows = 50_000
	}
	only, err := regexp.Compile(os.Getenv("ONLY"))
	require.NoError(b, err)
	url := os.Getenv("POSTGRES_URL")
	if url == "" {
		url = postgres(b)
	}
	s, err := store.Open(b.Context(), url)
	require.NoError(b, err)
	defer func() { require.NoError(b, s.Close()) }()
	l := openLedger(b, s, url, rows)
	for b.Loop() {
		l.print(b, slices.DeleteFunc(l.readings(s), func(r reading) bool { return !only.MatchString(r.name) }))
		l.printParts(b, s, only)
	}
}

// printParts measures the rest. Storing records comes last, because it changes the ledger.
func (l ledger) printParts(b *testing.B, s *store.Store, only *regexp.Regexp) {
	for _, part := range []struct {
		name  string
		print func(*testing.B, *store.Store)
	}{{"indexes", l.printIndexes}, {"sizes", l.printSizes}, {"retention", l.printRetention}, {"ingest", l.printIngest}} {
		if only.MatchString(part.name) {
			part.print(b, s)
		}
	}
}

func (l ledger) print(b *testing.B, all []reading) {
	fmt.Printf("%-48s %9s %9s %9s %8s %6s\n", "reading", "p50 ms", "p95 ms", "most ms", "", "rows")
	for _, r := range all {
		took, rows := r.measure(b)
		p95, verdict := took[len(took)*95/100], ""
		switch {
		case rows < 0:
			verdict = "timeout"
		case r.most > 0 && p95 <= r.most:
			verdict = "met"
		case r.most > 0:
			verdict = "NOT met"
		}
		fmt.Printf("%-48s %9s %9s %9s %8s %6d\n", r.name, millis(took[len(took)/2]), millis(p95), millis(r.most), verdict, rows)
	}
}

// measure reads forty times, or fewer if that takes too long.
func (r reading) measure(b *testing.B) (took []time.Duration, rows int) {
	for n, began := 0, time.Now(); n < 40 && (n < 5 || time.Since(began) < 10*time.Second); n++ {
		start := time.Now()
		got, err := r.read(b.Context(), n)
		took = append(took, time.Since(start))
		if r.mayTimeOut && apperr.Is(err, apperr.StoreUnavailable) {
			return took, -1
		}
		if err != nil || r.want > 0 && r.want != got {
			b.Errorf("%s: %d rows, want %d, %v", r.name, got, r.want, err)
		}
		rows = max(rows, got)
	}
	slices.Sort(took)
	return took, rows
}

func millis(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
}

const (
	firstPage = 150 * time.Millisecond
	filtered  = 300 * time.Millisecond
	detail    = 50 * time.Millisecond
)

func (l ledger) readings(s *store.Store) []reading {
	all := []reading{
		{name: "first page", most: firstPage, read: l.page(s, "")},
		{name: "first page of a small account", most: firstPage, read: func(ctx context.Context, n int) (int, error) {
			page, err := s.Page(ctx, record.Query{Account: fmt.Sprint("small-", n%5)}, nil, 50)
			return len(page.Items), err
		}},
		{name: "a page anywhere", most: firstPage, read: l.deep(s, "")},
		{name: "a page anywhere, model:model-3", most: filtered, read: l.deep(s, "model:model-3")},
		{name: "a page anywhere, has:error", most: filtered, read: l.deep(s, "has:error")},
	}
	for _, text := range []string{
		"model:model-3", "requested_model:auto", "provider:provider-2", "route:fallback", "outcome:error", "key:key_4", "key:team-4",
		"status:502", "code:PROVIDER_CODE_3", "stream:false", "cost:>1m", "saved:>2m", "latency:>6s", "ttft:>900ms", "gateway:>300us",
		"tokens:>9k", "has:error", "is:unpriced", "-model:model-3 -outcome:ok", "model:model-1* key:team-1*",
		"key:key_old", "key:retired", "requested_model:model-of-last-month", "model:none", "requested_model:none", "code:NONE",
		"provider-2", "overloaded", `"ask again in 777"`, "client-77",
	} {
		all = append(all, reading{name: text, most: filtered, read: l.page(s, text)})
	}
	for _, rare := range []struct {
		text string
		want int
	}{
		{"model:rare-model", 50}, {"requested_model:rare-request", 50}, {"code:RARE_CODE", rareErrors}, {"status:418", rareErrors},
		{"cost:>$1", rareCosts}, {"latency:>5m", rareCosts}, {"zebra", rareErrors}, {"rare-model", 50},
	} {
		all = append(all, reading{name: rare.text, most: filtered, read: l.page(s, rare.text), want: rare.want})
	}
	return slices.Concat(all, l.details(s), l.totals(s), l.sessionReadings(s), l.spendReadings(s), l.wordReadings(s), l.sortedReadings(s))
}
