package proxy

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// BenchmarkObserve measures what the metrics of one served request cost.
func BenchmarkObserve(b *testing.B) {
	tel, err := telemetry.New(b.Context(), telemetry.Config{Service: "proxy"}, io.Discard)
	require.NoError(b, err)
	m, err := newMetrics(tel.Meter.Meter(meterName), tel.Histograms, describeNothing)
	require.NoError(b, err)
	served := decide.Candidate{Model: "gpt-4.1", Provider: "openai"}
	r := &ledger.Record{
		Served: served, Route: decide.RouteExpected, Outcome: ledger.OK, Kind: catalog.Chat, Stream: true,
		Latency: 30 * time.Millisecond, Cost: ledger.Known(250), BaselineCost: ledger.Known(500),
		Attempts: []ledger.Attempt{{
			Candidate: served, Started: time.Millisecond, FirstToken: 9 * time.Millisecond, Ended: 29 * time.Millisecond,
			Usage: &catalog.Usage{Input: 500, CacheRead: 100, Output: 200, Reasoning: 20},
		}},
	}
	b.ReportAllocs()
	for b.Loop() {
		m.observe(r)
	}
}
