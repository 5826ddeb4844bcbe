package control

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/catalog"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// money writes what the totals consist of and rest on.
func (e *encoder) money(r *ledger.Record) {
	if r.Cost.Known {
		e.costs(40, &r.Costs)
	}
	if r.Baseline.Known {
		e.costs(41, &r.BaselineCosts)
	}
	if r.Baseline.Known && r.Produced() {
		e.price(42, &r.BaselinePrice)
	}
}

func (e *encoder) amount(field protowire.Number, a ledger.Amount) {
	if a.Known {
		e.Maybe(field, &a.Nano)
	}
}

func (e *encoder) costs(field protowire.Number, p *catalog.Parts) {
	at := e.Open(field)
	e.Signed(1, p.Input)
	e.Signed(2, p.CacheRead)
	e.Signed(3, p.CacheWrite)
	e.Signed(4, p.Output)
	e.Close(at)
}

func (e *encoder) price(field protowire.Number, p *catalog.Price) {
	at := e.Open(field)
	e.Signed(1, p.Input)
	e.Signed(2, p.CacheRead)
	e.Signed(3, p.CacheWrite)
	e.Signed(4, p.Output)
	if p.Effective.Unix() > 0 { // a price without a date holds since 1970
		e.day(5, p.Effective)
	}
	e.Signed(6, p.CacheWrite1h)
	e.Close(at)
}

func (e *encoder) day(field protowire.Number, t time.Time) {
	at := e.Open(field)
	e.Buf = t.UTC().AppendFormat(e.Buf, time.DateOnly)
	e.Close(at)
}

// costBasis is as good as the least certain of the attempts.
func costBasis(r *ledger.Record) recordv1.CostBasis {
	basis := recordv1.CostBasis_COST_BASIS_UNSPECIFIED
	for i := range r.Attempts {
		basis = max(basis, basisOf(&r.Attempts[i]))
	}
	return basis
}

func basisOf(a *ledger.Attempt) recordv1.CostBasis {
	switch {
	case a.Usage == nil:
		return recordv1.CostBasis_COST_BASIS_UNSPECIFIED
	case a.Estimated:
		return recordv1.CostBasis_COST_BASIS_ESTIMATED
	}
	return recordv1.CostBasis_COST_BASIS_FINAL
}
