package storetest

import (
	"math"
	"math/big"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// bigSums holds sums of unlimited size.
type bigSums struct {
	requests, unpriced      int64
	routed, baseline, saved big.Int
}

func add(want map[string]*bigSums, r *record.Record, by record.GroupBy, step time.Duration) {
	day := r.Time.Format(time.DateOnly)
	names := []string{"", "step " + r.Time.UTC().Truncate(step).String()}
	group := map[record.GroupBy]string{
		record.GroupModel: r.Model, record.GroupProvider: r.Provider, record.GroupKey: r.KeyID, record.GroupDay: day,
		record.GroupRoute: string(r.Route), record.GroupRequestedModel: r.RequestedModel,
		record.GroupCode: r.Code, record.GroupProtocol: string(r.Protocol), record.GroupAgent: r.Agent,
		record.GroupSession: r.Session, record.GroupUser: r.User, record.GroupRule: r.Reason.Rule, record.GroupEndpoint: r.Endpoint,
	}
	if name, ok := by.MetadataName(); ok && r.Inputs != nil {
		group[by] = r.Inputs.Metadata[name]
	}
	if by == record.GroupTag && r.Inputs != nil && len(r.Inputs.Tags) > 0 {
		group[by] = r.Inputs.Tags[0] // no random record has more
	}
	if by != "" {
		names = append(names, "group "+group[by])
	}
	for _, name := range names {
		if want[name] == nil {
			want[name] = &bigSums{}
		}
		want[name].add(r)
	}
}

func (e *bigSums) add(r *record.Record) {
	e.requests++
	if r.Cost != nil {
		e.routed.Add(&e.routed, big.NewInt(*r.Cost))
	}
	if r.BaselineCost != nil {
		e.baseline.Add(&e.baseline, big.NewInt(*r.BaselineCost))
	}
	if r.Saved() == nil {
		e.unpriced++
		return
	}
	e.saved.Add(&e.saved, big.NewInt(*r.Saved()))
}

func (e *bigSums) sums() record.Sums {
	if e == nil {
		return record.Sums{}
	}
	fit := func(n *big.Int) int64 {
		switch {
		case n.IsInt64():
			return n.Int64()
		case n.Sign() > 0:
			return math.MaxInt64
		}
		return math.MinInt64
	}
	return record.Sums{
		Requests: e.requests, Unpriced: e.unpriced, Routed: fit(&e.routed), Baseline: fit(&e.baseline), Saved: fit(&e.saved),
	}
}
