package recordcodec

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/catalog"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// writeMoney writes the costs by kind of token, and the prices from which they were computed.
func (e *encoder) writeMoney(r *ledger.Record) {
	if r.Cost.Known {
		e.writeCosts(40, &r.CostParts)
	}
	if r.BaselineCost.Known {
		e.writeCosts(41, &r.BaselineCostParts)
	}
	if r.BaselineCost.Known && r.WasServed() {
		e.writePrice(42, &r.BaselinePrice)
	}
}

func (e *encoder) writeAmount(field protowire.Number, a ledger.Amount) {
	if a.Known {
		e.writeOptional(field, &a.Nano)
	}
}

func (e *encoder) writeCosts(field protowire.Number, p *catalog.Breakdown) {
	at := e.openMessage(field)
	e.writeInt(1, p.Input)
	e.writeInt(2, p.CacheRead)
	e.writeInt(3, p.CacheWrite)
	e.writeInt(4, p.Output)
	e.closeMessage(at)
}

func (e *encoder) writePrice(field protowire.Number, p *catalog.Price) {
	at := e.openMessage(field)
	e.writeInt(1, p.Input)
	e.writeInt(2, p.CacheRead)
	e.writeInt(3, p.CacheWrite)
	e.writeInt(4, p.Output)
	if p.Effective.Unix() > 0 { // a price without a date is valid since 1970
		e.writeDay(5, p.Effective)
	}
	e.writeInt(6, p.CacheWrite1h)
	e.closeMessage(at)
}

func (e *encoder) writeDay(field protowire.Number, t time.Time) {
	at := e.openMessage(field)
	e.buf = t.UTC().AppendFormat(e.buf, time.DateOnly)
	e.closeMessage(at)
}

// costBasis returns the basis of the least certain attempt.
func costBasis(r *ledger.Record) recordv1.CostBasis {
	basis := recordv1.CostBasis_COST_BASIS_UNSPECIFIED
	for i := range r.Attempts {
		basis = max(basis, attemptCostBasis(&r.Attempts[i]))
	}
	return basis
}

func attemptCostBasis(a *ledger.Attempt) recordv1.CostBasis {
	switch {
	case a.Usage == nil:
		return recordv1.CostBasis_COST_BASIS_UNSPECIFIED
	case a.Estimated, len(a.Unpriced) > 0:
		return recordv1.CostBasis_COST_BASIS_ESTIMATED
	}
	return recordv1.CostBasis_COST_BASIS_FINAL
}
