package shadow

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/saturate"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// budgetPrefix starts the account id under which package limits counts what an experiment
// spends. No real account id starts with it.
const budgetPrefix = "experiment "

// budget is the money of one comparison. Before a call, the most that the call can cost is
// reserved in the daily limit of the experiment. The limit is strict: without the shared
// counters nothing is reserved, and what a crashed proxy had reserved counts as spent. After
// the call, what it really cost counts. If that is not certain, the whole reservation counts.
type budget struct {
	admission *limits.Admission
	// reserved is the sum of all reservations, spent the sum of the finished calls.
	reserved, spent int64
}

func (p *Pool) openBudget(ctx context.Context, e *policy.Experiment) (*budget, error) {
	admission, err := p.Budgets.Admit(ctx, &limits.Caller{
		AccountID: budgetPrefix + e.Name, Account: limits.Set{NanoUSDPerDay: e.NanoUSDPerDay}, Strict: true,
	})
	if err != nil {
		return nil, err
	}
	return &budget{admission: admission}, nil
}

// reserveUpTo makes sure that at least nano is reserved for the calls that follow.
func (b *budget) reserveUpTo(ctx context.Context, nano int64) error {
	missing := saturate.Add(b.spent, nano) - b.reserved
	if missing <= 0 {
		return nil
	}
	if err := b.admission.Reserve(ctx, 0, missing); err != nil {
		return err
	}
	b.reserved = saturate.Add(b.reserved, missing)
	return nil
}

// close settles the budget with what the calls cost.
func (b *budget) close() {
	b.admission.Settle(0, b.spent)
	b.admission.Release()
}

// promptOverhead is more than the tokens that providers add to a prompt on their own.
const promptOverhead = 1024

var errNoPrice = errors.New("the highest cost is not known")

// highestCost returns the most that a call can cost, in nano-USD. A token has at least one
// byte, so the length of the body is never less than its tokens. It is usually several times
// more, so it says nothing about how much of the context is left for the output.
func highestCost(p *policy.Policy, c decide.Candidate, bodyBytes int, maxOutput int64, at time.Time) (int64, error) {
	m, ok := p.Model(c.Model)
	if !ok {
		return 0, errNoPrice
	}
	endpoint, ok := m.EndpointAt(c.Provider)
	if !ok {
		return 0, errNoPrice
	}
	price, ok := m.PriceAt(c.Provider, at)
	if !ok || maxOutput <= 0 {
		return 0, errNoPrice
	}
	input, output := int64(bodyBytes)+promptOverhead, maxOutput
	if n := m.EndpointMaxOutput(endpoint); n > 0 {
		output = min(output, n)
	}
	written := price.CostOf(&catalog.Usage{CacheWrite: input, CacheWrite1h: input, Output: output})
	return max(written, price.CostOf(&catalog.Usage{Input: input, Output: output})), nil
}

// costOf returns what the attempts cost for the ledger, and what counts against the budget. If
// a provider was called but did not report what it bills, the highest cost counts.
func costOf(p *policy.Policy, attempts []ledger.Attempt, highest int64, at time.Time) (cost ledger.Amount, charged int64, estimated bool) {
	r := ledger.Record{Attempts: attempts, Time: at}
	r.ComputeCosts(prices{p})
	for i := range attempts {
		a := &attempts[i]
		isCertain := a.Usage != nil && !a.Estimated && len(a.Unpriced) == 0
		switch {
		case !a.WasCalled():
		case isCertain && a.Cost.Known:
			charged = saturate.Add(charged, a.Cost.Nano)
		default:
			charged, estimated = saturate.Add(charged, highest), true
		}
	}
	return r.Cost, charged, estimated
}

// prices provides the prices of a policy.
type prices struct{ policy *policy.Policy }

func (p prices) Price(c decide.Candidate, at time.Time) (catalog.Price, bool) {
	m, ok := p.policy.Model(c.Model)
	if !ok {
		return catalog.Price{}, false
	}
	return m.PriceAt(c.Provider, at)
}
