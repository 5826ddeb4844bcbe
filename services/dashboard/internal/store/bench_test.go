package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

func BenchmarkInsert(b *testing.B) {
	for _, c := range []struct {
		name string
		url  func(testing.TB) string
		add  func(r *record.Record, n int)
	}{
		{"sqlite", sqliteFile, nil},
		{"sqlite with content", sqliteFile, addContent},
		{"sqlite with words", sqliteFile, addWords},
		{"postgres", postgres, nil},
		{"postgres with content", postgres, addContent},
		{"postgres with words", postgres, addWords},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkInsert(b, c.url(b), c.add) })
	}
}

func sqliteFile(b testing.TB) string {
	return sqldb.SQLiteURL(filepath.Join(b.TempDir(), "records.db"))
}

func postgres(b testing.TB) string { return testenv.Postgres(b) }

func addContent(r *record.Record, _ int) { r.Content = chat(r.ID.String()) }

// addWords adds a session, a user, an agent, tags and metadata.
func addWords(r *record.Record, n int) {
	r.Agent = fmt.Sprint("agent-", n%7)
	ledger{}.work(r, n, n%20)
}

// benchmarkInsert prints the insert rate in records per second, in batches of the
// size that spools send. add completes the n-th record, unless it is nil.
func benchmarkInsert(b *testing.B, url string, add func(r *record.Record, n int)) {
	s, err := store.Open(b.Context(), url)
	require.NoError(b, err)
	defer func() { require.NoError(b, s.Close()) }()
	const size = 200
	for stored := 0; b.Loop(); stored += size {
		var batch record.Batch
		for n := range size {
			r := storetest.Make("acc", n)
			r.ID = uuid.Must(uuid.NewV7())
			if add != nil {
				add(r, stored+n)
			}
			batch.Records = append(batch.Records, r)
		}
		require.NoError(b, s.Insert(b.Context(), batch))
	}
	b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "records/s")
}

// chat returns a typical exchange of 2 KB and 1 KB with random text.
func chat(mark string) *record.Content {
	const words = "the quick brown fox jumps over a lazy dog while it rains in the hills and nobody minds "
	request := `{"model":"auto","messages":[{"role":"user","content":"` + mark + strings.Repeat(words+mark[:13], 20) + `"}]}`
	response := `{"id":"` + mark + `","choices":[{"message":{"content":"` + strings.Repeat(mark[5:]+words, 8) + `"}}]}`
	return &record.Content{
		Request: []byte(request), Response: []byte(response),
		RequestBytes: int64(len(request)), ResponseBytes: int64(len(response)),
	}
}
