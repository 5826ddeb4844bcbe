package store_test

import (
	"bytes"
	"strconv"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// TestContentIsCompressed checks that long content is compressed and restored.
func TestContentIsCompressed(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		long, noise := bytes.Repeat([]byte("all the same "), 1000), incompressible()
		for n, c := range []struct {
			request, response []byte
			encoding          int
		}{
			{long, long, 1}, {nil, long, 1}, {long, nil, 1}, {[]byte("short"), []byte("too"), 0}, {noise, nil, 0}, {nil, nil, 0},
		} {
			r := storetest.Make("acc", n)
			r.Content = &record.Content{Request: c.request, Response: c.response, RequestBytes: int64(n), ResponseBytes: 8}
			require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{r}}))
			got, err := s.Get(t.Context(), "acc", r.ID)
			require.NoError(t, err)
			require.Equal(t, string(c.request), string(got.Content.Request))
			require.Equal(t, string(c.response), string(got.Content.Response))
			require.EqualValues(t, n, got.Content.RequestBytes)
			packed := strconv.Itoa(c.encoding)
			require.Equal(t, 1, count(t, s, `SELECT COUNT(*) FROM content WHERE request_bytes = `+strconv.Itoa(n)+` AND encoding = `+packed), n)
		}
		require.Less(t, count(t, s, `SELECT MAX(LENGTH(request)) FROM content WHERE encoding = 1`), 500)
	})
}

func incompressible() []byte {
	var out []byte
	for n := uint64(1); len(out) < 400; n = n*6364136223846793005 + 1442695040888963407 {
		out = append(out, byte(n>>56))
	}
	return out
}

func TestDamagedContentIsAnError(t *testing.T) {
	s := storetest.Open(t, sqliteFile(t))
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		raw      []byte
		encoding int64
	}{
		"unknown":  {[]byte("x"), 9},
		"no zstd":  {[]byte("x"), 1},
		"too long": {encoder.EncodeAll(make([]byte, store.MaxUnpacked+1), nil), 1},
		"length":   {encoder.EncodeAll([]byte{200, 1, 'x'}, nil), 1},
		"empty":    {nil, 1},
	} {
		require.Error(t, s.Decompress(&record.Content{Request: c.raw}, c.encoding), name)
	}
}

// TestInsertGivesUpOnLock checks that an insert that waits for a lock also ends
// in the server, is not blamed on the data, and succeeds later.
func TestInsertGivesUpOnLock(t *testing.T) {
	url := migrated.Postgres(t)
	s, other := storetest.Open(t, url), storetest.Open(t, url)
	s.SetLockTimeout(50 * time.Millisecond)
	batch := record.Batch{Records: []*record.Record{now(1)}}
	require.NoError(t, s.CreatePartitions(t.Context(), 1))
	err := other.Hold(t.Context(), `LOCK TABLE hourly IN ACCESS EXCLUSIVE MODE`, func() {
		for range 3 {
			err := s.Insert(t.Context(), batch)
			require.ErrorContains(t, err, "55P03")
			require.NotErrorIs(t, err, record.ErrRejected)
		}
		require.Zero(t, count(t, other, `SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`))
	})
	require.NoError(t, err)
	require.NoError(t, s.Insert(t.Context(), batch))
	requireExact(t, s)
}

// TestOnlyInvalidDataIsRejected checks that only invalid data returns ErrRejected.
func TestOnlyInvalidDataIsRejected(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		require.NoError(t, s.Exec(t.Context(), `DROP TABLE feed`))
		err := s.Insert(t.Context(), record.Batch{Records: []*record.Record{now(1)}})
		require.Error(t, err)
		require.NotErrorIs(t, err, record.ErrRejected)
		require.Zero(t, count(t, s, `SELECT COUNT(*) FROM requests`)+count(t, s, `SELECT COUNT(*) FROM hourly`), "all or nothing")
		require.NoError(t, s.Exec(t.Context(), `CREATE TABLE feed (position BIGINT, account_id TEXT, at_us BIGINT CHECK (at_us < 0),
			ids BYTEA, UNIQUE (position, account_id))`))
		require.ErrorIs(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{now(1)}}), record.ErrRejected)
	})
}

func captured(r *record.Record) *record.Record {
	r.Content = chat(r.ID.String())
	return r
}

func count(t *testing.T, s *store.Store, query string) int {
	t.Helper()
	n, err := s.Count(t.Context(), query)
	require.NoError(t, err, query)
	return n
}

func day(table string, from int) string {
	return table + "_" + time.Now().UTC().AddDate(0, 0, from).Format("20060102")
}
