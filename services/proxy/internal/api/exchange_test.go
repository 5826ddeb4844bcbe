package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// The id has the time of the record, even a nanosecond before midnight.
func TestAnIDIsOfItsRecordsMoment(t *testing.T) {
	at := time.Date(2026, 11, 14, 23, 59, 59, 999_999_999, time.UTC)
	var id, other uuid.UUID
	setID(&id, at)
	setID(&other, at)
	sec, nsec := id.Time().UnixTime()
	require.Equal(t, at.Truncate(time.Millisecond), time.Unix(sec, nsec).UTC())
	require.EqualValues(t, 7, id.Version())
	require.NotEqual(t, id, other)
}

// sink is a connection that accepts everything.
type sink struct{ h http.Header }

func (s *sink) Header() http.Header              { return s.h }
func (*sink) Write(b []byte) (int, error)        { return len(b), nil }
func (*sink) WriteHeader(int)                    {}
func (*sink) FlushError() error                  { return nil }
func (*sink) SetWriteDeadline(_ time.Time) error { return nil }

// A request with its response headers takes four allocations: the exchange, its id, the cost
// and the length.
func TestAResponseHasFewAllocations(t *testing.T) {
	w := &sink{http.Header{}}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
	plan, served := control.Plan{Decision: &decide.Decision{PolicyVersion: "p"}}, decide.Candidate{Model: "m", Provider: "up"}
	body := make([]byte, 1<<10)
	require.EqualValues(t, 4, testing.AllocsPerRun(100, func() {
		clear(w.h)
		x := newExchange(w, r)
		x.setHeader("X-Signalbox-Session", "s")
		x.setServedHeaders(plan, served, nil)
		x.sendBody(body, ledger.Known(1_500))
	}))
	require.Equal(t, []string{"1024"}, w.h["Content-Length"])
	require.Equal(t, []string{"0.0000015"}, w.h["X-Signalbox-Cost-Usd"])
	require.Len(t, w.h, usualHeaders)
	for name := range w.h {
		require.Equal(t, http.CanonicalHeaderKey(name), name)
	}
}

// More headers than usual are sent as well.
func TestAnyNumberOfHeaders(t *testing.T) {
	x := newExchange(&sink{http.Header{}}, httptest.NewRequestWithContext(t.Context(), "POST", "/", nil))
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"} {
		x.setHeader(name, "is "+name)
	}
	x.w.Header().Add("A", "more")
	require.Equal(t, []string{"is A", "more"}, x.w.Header()["A"])
	require.Equal(t, []string{"is B"}, x.w.Header()["B"], "a header has its own memory")
	require.Equal(t, []string{"is J"}, x.w.Header()["J"])
}
