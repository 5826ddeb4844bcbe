package ledger_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// tariff prices every token of a model in pico-USD.
type tariff map[string]int64

func (t tariff) Price(at decide.Candidate, _ time.Time) (catalog.Price, bool) {
	p, ok := t[at.Model]
	return catalog.Price{Input: p, Output: p}, ok
}

func served(model string, attempts ...ledger.Attempt) *ledger.Record {
	r := &ledger.Record{
		ID:       uuid.Must(uuid.NewV7()),
		Decision: &decide.Decision{Baseline: "large", Plan: []decide.Candidate{{Model: "small"}}},
		Attempts: attempts,
	}
	if model != "" {
		last := attempts[len(attempts)-1]
		r.Served, r.Usage = last.Candidate, *last.Usage
	}
	return r
}

func attempt(model string, tokens int64) ledger.Attempt {
	return ledger.Attempt{Candidate: decide.Candidate{Model: model}, Usage: &catalog.Usage{Input: tokens}}
}

func TestSettle(t *testing.T) {
	prices := tariff{"small": 1_000_000, "large": 10_000_000, "dear": math.MaxInt64}
	tests := []struct {
		name     string
		give     *ledger.Record
		cost     ledger.Amount
		baseline ledger.Amount
	}{
		{"routed and baseline", served("small", attempt("small", 3)), ledger.Known(3000), ledger.Known(30_000)},
		{"failed attempts count", served("small", attempt("large", 2), attempt("small", 3)), ledger.Known(23_000), ledger.Known(30_000)},
		{"nothing produced", served("", attempt("small", 3)), ledger.Known(3000), ledger.Known(0)},
		{"nothing used", served("", ledger.Attempt{Candidate: decide.Candidate{Model: "unpriced"}}), ledger.Known(0), ledger.Known(0)},
		{"unknown price is not zero", served("mystery", attempt("mystery", 3)), ledger.Amount{}, ledger.Known(30_000)},
		{"one unknown makes the sum unknown", served("small", attempt("mystery", 1), attempt("small", 3)), ledger.Amount{}, ledger.Known(30_000)},
		{"sums saturate", served("small", attempt("dear", math.MaxInt64), attempt("small", 3)), ledger.Known(math.MaxInt64), ledger.Known(30_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.give.ComputeCosts(prices)
			require.Equal(t, tt.cost, tt.give.Cost)
			require.Equal(t, tt.baseline, tt.give.BaselineCost)
			require.Equal(t, tt.cost.Nano, tt.give.CostParts.Sum(), "the parts are the whole")
			require.Equal(t, tt.baseline.Nano, tt.give.BaselineCostParts.Sum())
			for _, a := range tt.give.Attempts {
				require.Equal(t, a.Cost.Nano, a.CostParts.Sum())
			}
		})
	}
}

func TestAFailureEarnsNoSavings(t *testing.T) {
	for outcome, baseline := range map[ledger.Outcome]int64{
		ledger.OK: 30_000, ledger.ClientClosed: 30_000, ledger.Error: 0, ledger.Interrupted: 0, ledger.Aborted: 0,
	} {
		r := served("small", attempt("small", 3))
		r.Outcome = outcome
		r.ComputeCosts(tariff{"small": 1_000_000, "large": 10_000_000})
		require.Equal(t, ledger.Known(3000), r.Cost, outcome)
		require.Equal(t, ledger.Known(baseline), r.BaselineCost, outcome)
		require.Equal(t, baseline, r.BaselineCostParts.Sum(), outcome)
	}
}

func TestThePriceIsStoredWithTheCost(t *testing.T) {
	r := served("small", attempt("large", 2), ledger.Attempt{Candidate: decide.Candidate{Model: "large"}}, attempt("small", 3))
	prices := tariff{"small": 1_000_000, "large": 10_000_000}
	r.ComputeCosts(prices)
	require.Equal(t, catalog.Breakdown{Input: 23_000}, r.CostParts)
	require.Equal(t, catalog.Price{Input: 10_000_000, Output: 10_000_000}, r.Attempts[0].Price)
	require.Zero(t, r.Attempts[1].Price, "no usage")
	require.Equal(t, catalog.Price{Input: 1_000_000, Output: 1_000_000}, r.Attempts[2].Price)
	require.Equal(t, catalog.Price{Input: 10_000_000, Output: 10_000_000}, r.BaselinePrice)
	require.Equal(t, catalog.Breakdown{Input: 30_000}, r.BaselineCostParts)
}

// places has different prices per endpoint and per request size.
type places struct{}

func (places) Price(at decide.Candidate, _ time.Time) (catalog.Price, bool) {
	p := catalog.Price{Input: 1_000_000, Tiers: []catalog.Tier{{Above: 10, Input: 7_000_000}}}
	if at.Provider == "dear" {
		p.Input = 2_000_000
	}
	return p, true
}

// An attempt costs the price of its own endpoint, the baseline the price of its first endpoint. The
// record stores the price that was used.
func TestPricesAreThoseOfTheEndpoint(t *testing.T) {
	at := func(provider string, tokens int64) ledger.Attempt {
		return ledger.Attempt{Candidate: decide.Candidate{Model: "m", Provider: provider}, Usage: &catalog.Usage{Input: tokens}}
	}
	r := served("m", at("dear", 3), at("cheap", 11))
	r.ComputeCosts(places{})
	require.Equal(t, ledger.Known(6_000), r.Attempts[0].Cost)
	require.Equal(t, catalog.Price{Input: 2_000_000}, r.Attempts[0].Price)
	require.Equal(t, ledger.Known(77_000), r.Attempts[1].Cost, "all of a larger request costs more")
	require.Equal(t, catalog.Price{Input: 7_000_000}, r.Attempts[1].Price)
	require.Equal(t, ledger.Known(77_000), r.BaselineCost)
	require.Equal(t, catalog.Price{Input: 7_000_000}, r.BaselinePrice)
}

func BenchmarkSettle(b *testing.B) {
	r := served("small", attempt("small", 3))
	prices := tariff{"small": 1_000_000, "large": 10_000_000}
	b.ReportAllocs()
	for b.Loop() {
		r.ComputeCosts(prices)
	}
}

func TestSettlingAllocatesNothing(t *testing.T) {
	r, prices := served("small", attempt("small", 3)), tariff{"small": 1_000_000, "large": 10_000_000}
	require.Zero(t, testing.AllocsPerRun(100, func() { r.ComputeCosts(prices) }))
}

func TestRefusedRequestCostsNothing(t *testing.T) {
	r := &ledger.Record{}
	r.ComputeCosts(tariff{})
	require.Equal(t, ledger.Known(0), r.Cost)
	require.Equal(t, ledger.Known(0), r.BaselineCost)
}

const headroom = 40

// spool accepts END frames up to a length.
type spool struct {
	most      int
	ended     int
	forgotten int
}

func (*spool) Start([16]byte, []byte) error { return nil }

func (s *spool) End(_ [16]byte, buf []byte) error {
	if len(buf[headroom:]) > s.most {
		return errors.New("too long")
	}
	s.ended++
	return nil
}

func (s *spool) Forget([16]byte) { s.forgotten++ }

// spy is a codec that exposes the records it encodes.
type spy struct{ seen []ledger.Record }

func (*spy) AppendHead(dst []byte, _ *ledger.Record) []byte { return append(dst, "record"...) }

func (s *spy) AppendTail(dst []byte, r *ledger.Record) []byte {
	s.seen = append(s.seen, *r)
	return append(append(dst, r.Request...), r.RequestEnd...)
}

func (*spy) AppendComparison(dst []byte, c *ledger.Comparison) []byte {
	return append(dst, c.AccountID...)
}

func (*spy) AppendFeedback(dst []byte, f *ledger.Feedback) []byte { return append(dst, f.AccountID...) }

func TestARecordTooLongIsWrittenWithoutItsContent(t *testing.T) {
	r := served("small", attempt("small", 3))
	r.Request, r.RequestEnd = make([]byte, 100), make([]byte, 100)
	sp := &spool{most: 50}
	codec := &spy{}
	require.NoError(t, ledger.NewWriter(sp, headroom, codec).Finish(r, tariff{}))
	require.Equal(t, &spool{most: 50, ended: 1}, sp)
	require.Equal(t, ledger.CaptureDropped, codec.seen[1].EffectiveCapture())
	require.Len(t, r.Request, 100, "the caller's record is left alone")

	sp = &spool{most: 1}
	require.Error(t, ledger.NewWriter(sp, headroom, &spy{}).Finish(r, tariff{}))
	require.Equal(t, &spool{most: 1, forgotten: 1}, sp, "it must not hold the spool")
}

func TestTheStartFrameHasTheMinimumCost(t *testing.T) {
	codec := &spy{}
	book := ledger.NewWriter(&spool{}, headroom, codec)
	r := served("", attempt("small", 1))
	r.Attempts = nil
	require.NoError(t, book.Start(r, tariff{"small": 1_000_000}, 7))
	require.Equal(t, ledger.Known(7000), codec.seen[0].Cost)
	require.True(t, codec.seen[0].Estimated)
	require.Empty(t, r.Attempts, "the record itself is not changed by its note")
	require.Zero(t, r.Cost)
}

func TestGatewayTimeLeavesOutUpstreams(t *testing.T) {
	r := &ledger.Record{Latency: 10 * time.Millisecond, Attempts: []ledger.Attempt{
		{Started: time.Millisecond, Ended: 4 * time.Millisecond},
		{Started: 5 * time.Millisecond, Ended: 9 * time.Millisecond},
	}}
	require.Equal(t, 3*time.Millisecond, r.GatewayTime())
}
