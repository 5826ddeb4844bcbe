package dashboard_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/records"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// event is one server-sent event.
type event struct{ name, id, data string }

// follower reads a stream as a browser does.
type follower struct {
	t     *testing.T
	lines *bufio.Reader
	leave func()
}

func (b *browser) follow(query, last string) *follower {
	// Long enough for a slow machine: some tests keep many streams open.
	ctx, cancel := context.WithTimeout(b.h.t.Context(), 5*time.Minute)
	b.h.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", b.h.url+"/api/v1/requests/stream?"+query, nil)
	require.NoError(b.h.t, err)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := b.http.Do(r)
	require.NoError(b.h.t, err)
	b.h.t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(b.h.t, http.StatusOK, res.StatusCode)
	require.Equal(b.h.t, "text/event-stream", res.Header.Get("Content-Type"))
	return &follower{t: b.h.t, lines: bufio.NewReader(res.Body), leave: func() {
		cancel()
		_ = res.Body.Close()
	}}
}

// next returns the next event; ok is false at the end of the stream.
func (f *follower) next() (e event, ok bool) {
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return e, false
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				return e, true
			}
		}
	}
}

// rows reads until it has the given number of rows, and returns their ids and the
// id of the last event.
func (f *follower) rows(count int) (ids []string, last string) {
	f.t.Helper()
	for len(ids) < count {
		e, ok := f.next()
		require.True(f.t, ok, "the stream ended after %d of %d rows", len(ids), count)
		last = e.id
		if e.name != "rows" {
			require.Equal(f.t, "start", e.name)
			continue
		}
		var rows []struct{ ID string }
		require.NoError(f.t, json.Unmarshal([]byte(e.data), &rows))
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
	}
	return ids, last
}

func idsOf(all []*recordv1.RequestRecord) (ids []string) {
	for _, r := range all {
		ids = append(ids, idOf(r))
	}
	return ids
}

func TestAStreamMissesNothingOverReconnects(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	_, other := h.registerUser("b@example.com")
	f := b.follow("", "")
	start, ok := f.next()
	require.True(t, ok)
	require.Equal(t, "start", start.name)
	f.leave() // before the first row

	var all []*recordv1.RequestRecord
	for range 3 {
		batch := []*recordv1.RequestRecord{newRecord(account, 0, nil), newRecord(account, 0, nil)}
		h.publish(append(batch, newRecord(other, 0, nil))...)
		all = append(all, batch...)
	}
	got, last := b.follow("", start.id).rows(4)
	rest, _ := b.follow("after="+start.id, last).rows(len(all) - len(got))
	require.ElementsMatch(t, idsOf(all), append(got, rest...), "each once, the own ones alone")
}

func TestAFilteredStreamKeepsUp(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	var wanted []*recordv1.RequestRecord
	for range 10 {
		var batch []*recordv1.RequestRecord
		for i := range 150 {
			r := newRecord(account, 0, nil)
			if i == 0 {
				r.Model = "rare"
				wanted = append(wanted, r)
			}
			batch = append(batch, r)
		}
		h.publish(batch...)
	}
	got, _ := b.follow("filter=model:rare&after=1-0", "").rows(len(wanted))
	require.Equal(t, idsOf(wanted), got)
}

func TestAStreamFollowsSeveralFilters(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	f := b.follow("filter=model:rare&filter=&filter=model:none", "")
	_, _ = f.next()
	var all []*recordv1.RequestRecord
	for i := range 6 {
		r := newRecord(account, 0, nil)
		if i%2 == 0 {
			r.Model = "rare"
		}
		h.publish(r)
		all = append(all, r)
	}
	got := map[string][]string{}
	for len(got["rows.1"]) < len(all) {
		e, ok := f.next()
		require.True(t, ok)
		var rows []struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(e.data), &rows))
		for _, r := range rows {
			got[e.name] = append(got[e.name], r.ID)
		}
	}
	require.Equal(t, map[string][]string{"rows": {idOf(all[0]), idOf(all[2]), idOf(all[4])}, "rows.1": idsOf(all)}, got)
	many := strings.Repeat("filter=&", 21)
	b.get("/api/v1/requests/stream?"+many).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

func TestExpiredPositionIsAGap(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	f := b.follow("after=999999-0", "")
	_, _ = f.next()
	e, ok := f.next()
	require.True(t, ok)
	require.Equal(t, "gap", e.name)
	b.get("/api/v1/requests/stream?after=nonsense").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	b.get("/api/v1/requests/stream?filter=modle:x").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

func TestStreamsPerAccountAreLimited(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	var first *follower
	for range 40 {
		f := b.follow("", "")
		_, _ = f.next()
		if first == nil {
			first = f
		}
	}
	open := func() (status int, code string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, "GET", h.url+"/api/v1/requests/stream", nil)
		require.NoError(t, err)
		res, err := b.http.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = res.Body.Close() }()
		return res.StatusCode, res.Header.Get("X-Error-Code")
	}
	status, code := open()
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, "CONCURRENCY_LIMIT_EXCEEDED", code)
	other, _ := h.registerUser("b@example.com")
	other.follow("", "").leave()
	first.leave()
	require.Eventually(t, func() bool {
		status, _ := open()
		return status == http.StatusOK
	}, time.Minute, 10*time.Millisecond)
}

// Requests in progress are a list that replaces the one before. Each account sees its own.
func TestAStreamListsRequestsInProgress(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	_, other := h.registerUser("b@example.com")
	mine, theirs := newRecord(account, 0, nil), newRecord(other, 0, nil)
	report := func(elapsed time.Duration, all ...*recordv1.RequestRecord) {
		var running []records.RunningRequest
		for _, r := range all {
			encoded, err := proto.Marshal(r)
			require.NoError(t, err)
			running = append(running, records.RunningRequest{Elapsed: elapsed, Record: encoded})
		}
		require.NoError(t, h.carrier.ReportRunning(t.Context(), "proxy", running))
	}
	f := b.follow("filter=key:nobody&filter=", "")
	start, ok := f.next()
	require.True(t, ok)
	require.Equal(t, "start", start.name)
	report(1500*time.Millisecond, mine, theirs) // expires after a few seconds
	list := func() (name string, rows []struct {
		ID      string `json:"id"`
		Elapsed int64  `json:"elapsed_us"`
	}) {
		e, ok := f.next()
		require.True(t, ok)
		require.NoError(t, json.Unmarshal([]byte(e.data), &rows))
		return e.name, rows
	}
	name, rows := list()
	require.Equal(t, "running.1", name, "the first filter matches none and gets no event")
	require.Len(t, rows, 1)
	require.Equal(t, idOf(mine), rows[0].ID)
	require.EqualValues(t, 1_500_000, rows[0].Elapsed)
	report(0)
	for len(rows) > 0 {
		_, rows = list()
	}
}
