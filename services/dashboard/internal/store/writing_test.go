package store_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// TestContentIsPacked: what is long is compressed, and any content comes back.
func TestContentIsPacked(t *testing.T) {
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
	s := open(t, sqliteFile(t))
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
		require.Error(t, s.Unpack(&record.Content{Request: c.raw}, c.encoding), name)
	}
}

// TestAnOlderLedgerIsTakenOver: its sums are made, and its content is found.
func TestAnOlderLedgerIsTakenOver(t *testing.T) {
	for name, url := range map[string]string{"sqlite": sqliteFile(t), "postgres": testenv.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			first := fstest.MapFS{}
			for _, dialect := range []string{"sqlite", "postgres"} {
				text, err := fs.ReadFile(store.Migrations(), "migrations/"+dialect+"/0001_records.sql")
				require.NoError(t, err)
				first[dialect+"/0001_records.sql"] = &fstest.MapFile{Data: text}
			}
			db, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "dashboard", Migrations: first})
			require.NoError(t, err)
			r := storetest.Make("acc", 1)
			r.Time = time.Unix(-1, 0).UTC()
			fill(t, db, r)
			require.NoError(t, db.Close())

			s := open(t, url)
			got, err := s.Get(t.Context(), "acc", r.ID)
			require.NoError(t, err)
			require.Equal(t, "question", string(got.Content.Request))
			require.Equal(t, -1, count(t, s, `SELECT hour FROM hourly WHERE requests = 1 AND output_tokens = 5 AND kept_nano = 900`))
			require.Equal(t, -1, count(t, s, `SELECT day FROM daily WHERE requests = 1 AND output_tokens = 5 AND kept_nano = 900`))
			next := captured(storetest.Make("acc", 2))
			require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{r, next}}))
			require.Equal(t, 2, count(t, s, `SELECT COUNT(*) FROM content`))
			requireSums(t, s)
		})
	}
}

// fill stores a record as the first version did.
func fill(t *testing.T, db *sqldb.DB, r *record.Record) {
	t.Helper()
	encoded, err := codec.Encode(r)
	require.NoError(t, err)
	columns := `id, day, time_us, account_id, key_id, key_name, endpoint, requested_model, model, provider, route, outcome, reason_code,
		status, code, stream, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano_usd,
		baseline_model, baseline_nano_usd, latency_us, ttft_us, gateway_us, policy_version, record`
	values := fmt.Sprintf(`$1, %d, %d, 'acc', 'key_1', 'prod', 'chat', 'auto', 'small', 'alpha', 'expected', 'ok', '', 200, '', 0,
		10, 0, 0, 5, 0, 100, 'large', 1000, 1500, 700, 40, '', $2`, record.Day(r.ID), r.Time.UnixMicro())
	require.NoError(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO requests (`+columns+`) VALUES (`+values+`)`, r.ID[:], encoded); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO content (id, day, account_id, request, response, request_bytes, response_bytes)
			VALUES ($1, $2, 'acc', $3, $4, 8, 0)`, r.ID[:], record.Day(r.ID), []byte("question"), []byte{})
		return err
	}))
}

// TestALockedLedgerIsLeftAlone: an insert ends in the server, too, and no
// connection stays behind; it is not the data's fault, and works later.
func TestALockedLedgerIsLeftAlone(t *testing.T) {
	url := testenv.Postgres(t)
	s, other := open(t, url), open(t, url)
	s.SetLockLimit(50 * time.Millisecond)
	batch := record.Batch{Records: []*record.Record{now(1)}}
	require.NoError(t, s.MakePartitions(t.Context(), 1))
	err := other.Hold(t.Context(), `LOCK TABLE hourly IN ACCESS EXCLUSIVE MODE`, func() {
		for range 3 {
			err := s.Insert(t.Context(), batch)
			require.ErrorContains(t, err, "55P03")
			require.NotErrorIs(t, err, record.ErrRefused)
		}
		require.Zero(t, count(t, other, `SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`))
	})
	require.NoError(t, err)
	require.NoError(t, s.Insert(t.Context(), batch))
	requireExact(t, s)
}

// TestDataAtFaultIsToldApart: only that is a reason to give a record up.
func TestDataAtFaultIsToldApart(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		require.NoError(t, s.Exec(t.Context(), `DROP TABLE feed`))
		err := s.Insert(t.Context(), record.Batch{Records: []*record.Record{now(1)}})
		require.Error(t, err)
		require.NotErrorIs(t, err, record.ErrRefused)
		require.Zero(t, count(t, s, `SELECT COUNT(*) FROM requests`)+count(t, s, `SELECT COUNT(*) FROM hourly`), "all or nothing")
		require.NoError(t, s.Exec(t.Context(), `CREATE TABLE feed (position BIGINT, account_id TEXT, at_us BIGINT CHECK (at_us < 0),
			ids BYTEA, UNIQUE (position, account_id))`))
		require.ErrorIs(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{now(1)}}), record.ErrRefused)
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
