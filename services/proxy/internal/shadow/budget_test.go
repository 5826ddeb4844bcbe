package shadow

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// A body has more bytes than tokens, so a body that is as long as the context still leaves
// room for output, which costs more than input.
func TestALongBodyStillPaysForItsOutput(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(`
version: 1
providers: {open: {kind: openai, base_url: "https://example.org/v1"}}
models: {small: {endpoints: [{provider: open, model: up}], context: 32000, price: {input: "1", output: "10"}}}
routes: {auto: {select: [{target: small}]}}
`), cat)
	require.NoError(t, err)
	const bytes, output = 32000, 4096
	highest, err := highestCost(p, decide.Candidate{Model: "small", Provider: "open"}, bytes, output, time.Now())
	require.NoError(t, err)
	price, _ := (prices{p}).Price(decide.Candidate{Model: "small", Provider: "open"}, time.Now())
	billed := catalog.Cost(price, catalog.Usage{Input: bytes / 4, Output: output})
	require.GreaterOrEqual(t, highest, billed)
}

// faultyProviders panic at the call.
type faultyProviders struct{ dispatch.Providers }

func (faultyProviders) ChatCompleter(string) (provider.ChatCompleter, bool) { panic("a fault") }

// book keeps the last comparison that was finished.
type book struct{ last ledger.Comparison }

func (*book) StartComparison(*ledger.Comparison) error { return nil }
func (b *book) FinishComparison(c *ledger.Comparison) error {
	b.last = *c
	return nil
}

// The provider may have billed a call that ended with a panic.
func TestACallThatPanicsCountsInFull(t *testing.T) {
	p, s := newPool(t, "1", idle)
	limiter, err := limits.New(limits.Deps{Proxies: 1, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	written := &book{}
	p.Budgets, p.Ledger = limiter, written
	p.Providers = func(*policy.Policy) dispatch.Providers { return faultyProviders{} }
	p.Offer(s)
	c := <-p.queue
	p.runOne(t.Context(), c)
	require.Equal(t, map[Drop]int64{Panicked: 1}, dropped(p))
	require.Equal(t, ledger.ComparisonAborted, written.last.Result)
	require.True(t, written.last.Estimated)
	after, err := p.openBudget(t.Context(), c.experiment)
	require.NoError(t, err)
	defer after.close()
	require.NotZero(t, c.budget.spent)
	require.Error(t, after.reserveUpTo(t.Context(), c.experiment.NanoUSDPerDay-c.budget.spent+1))
	require.NoError(t, after.reserveUpTo(t.Context(), c.experiment.NanoUSDPerDay-c.budget.spent))
}
