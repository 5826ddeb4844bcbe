package proxy_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/records"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

// stored takes n records from the carrier, by id.
func (g *rig) stored(n int) map[string]*recordv1.RequestRecord {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	out := map[string]*recordv1.RequestRecord{}
	for len(out) < n {
		b, err := g.carrier.Next(ctx)
		require.NoError(g.t, err)
		for _, e := range b.Entries {
			if e.Producer == blocker {
				continue
			}
			var r recordv1.RequestRecord
			require.NoError(g.t, proto.Unmarshal(e.Record, &r))
			out[string(r.GetId())] = &r
		}
		g.ack(b)
	}
	return out
}

// blocker is the producer of the entries that blockCarrier publishes.
const blocker = "blocker"

// blockCarrier fills the queue of the carrier, which holds far fewer than 100 batches. The spool
// then keeps all its records until stored is called, however slowly the test fills it.
func (g *rig) blockCarrier() {
	g.t.Helper()
	full := false
	for range 100 {
		ctx, cancel := context.WithTimeout(g.t.Context(), time.Millisecond)
		full = g.carrier.Publish(ctx, []records.Entry{{Producer: blocker}}) != nil
		cancel()
	}
	require.True(g.t, full, "the queue of the carrier is not full")
}

// fillSpool sends requests until one is rejected and returns how many were served.
func (g *rig) fillSpool() (served int, refusal *http.Response, body string) {
	g.t.Helper()
	for ; ; served++ {
		require.Less(g.t, served, 1000, "the spool is never full")
		refusal, body = g.call(http.MethodPost, chatPath, hello)
		if refusal.StatusCode != http.StatusOK {
			return served, refusal, body
		}
	}
}

func TestAFullSpoolRefusesRequestsBeforeTheyBegin(t *testing.T) {
	for _, mode := range []string{"shed", "metadata"} {
		t.Run(mode, func(t *testing.T) {
			g := newRig(t, func(c *proxy.Config) { c.SpoolBytes, c.SpoolFull = 64_000, mode })
			_, body := g.call(http.MethodGet, "/readyz", "")
			require.Contains(t, body, `"spool":"ok"`)
			g.blockCarrier()
			served, res, body := g.fillSpool()
			require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
			require.Contains(t, body, "GATEWAY_OVERLOADED")
			require.NotEmpty(t, res.Header.Get("Retry-After"))
			require.Equal(t, "true", res.Header.Get("X-Should-Retry"))

			res, body = g.call(http.MethodGet, "/readyz", "")
			require.Equal(t, http.StatusOK, res.StatusCode)
			// The spool goes on dropping content after the rejection, so it may have space again.
			require.Regexp(t, `"spool":"(full: new requests are rejected until records reach the ledger|nearly full: new records are written without content|filling up: the content of the oldest records is dropped)"`, body)
			require.Regexp(t, `"degraded":\[("records",)?"spool"\]`, body) // records that wait for long degrade it too

			all := g.stored(served + 1)
			outcomes := map[recordv1.Outcome]int{}
			dropped := 0
			for _, r := range all {
				outcomes[r.GetOutcome()]++
				if r.GetCapture() == recordv1.Capture_CAPTURE_DROPPED {
					dropped++
					require.Nil(t, r.GetContent())
				}
				if r.GetOutcome() == recordv1.Outcome_OUTCOME_REJECTED {
					require.Empty(t, r.GetAttempts(), "no upstream was called")
				}
			}
			require.Equal(t, map[recordv1.Outcome]int{recordv1.Outcome_OUTCOME_OK: served, recordv1.Outcome_OUTCOME_REJECTED: 1}, outcomes)
			// A spool that sheds may be full before it has dropped any content.
			require.True(t, mode == "shed" || dropped > 0)
			require.Eventually(t, func() bool {
				_, body := g.call(http.MethodGet, "/readyz", "")
				return strings.Contains(body, `"spool":"ok"`)
			}, patience, 10*time.Millisecond, "the change files have capacity again")
			res, _ = g.call(http.MethodPost, chatPath, hello)
			require.Equal(t, http.StatusOK, res.StatusCode)
			g.stored(1)
		})
	}
}
