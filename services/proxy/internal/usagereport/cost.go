package usagereport

import (
	"math/big"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

const (
	// nanoDigits is the number of decimal places of a dollar in nano-USD. tickDigits is
	// the number of decimal places in ticks, a unit that one vendor uses.
	nanoDigits = 9
	tickDigits = 10
	// maxCostLength and maxCostDollars are above any plausible cost.
	maxCostLength  = 40
	maxCostDollars = 1e6
)

// readCost reads the cost of a call in dollars. The cost is a number, or an object
// with total_cost.
func (u *Report) readCost(v jsontext.Value) {
	if v.Kind() == jsontext.KindNumber {
		u.setCost(v, 0)
		return
	}
	if v.Kind() != jsontext.KindBeginObject {
		return
	}
	var s jsonscan.Reader
	s.ResetLimited(v, true)
	s.Enter(jsonscan.BeginObject)
	for s.NextMember() {
		isTotal := string(s.Name()) == "total_cost"
		if v := s.Value(); isTotal {
			u.setCost(v, 0)
		}
	}
}

// setCost parses a number in units of 10^-digits dollars and rounds it half up to
// nano-USD. The computation is exact. Implausible values are ignored.
func (u *Report) setCost(v jsontext.Value, digits int) {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || len(v) > maxCostLength || f < 0 || f > maxCostDollars*pow10(digits) || f != 0 && f < 1e-30 {
		return
	}
	sum, ok := new(big.Rat).SetString(string(v))
	if !ok {
		return
	}
	sum.Mul(sum, new(big.Rat).SetFrac64(int64(pow10(nanoDigits)), int64(pow10(digits))))
	// Round half up: the integer part of sum + 1/2.
	twice := new(big.Int).Lsh(sum.Num(), 1)
	twice.Add(twice, sum.Denom())
	twice.Div(twice, new(big.Int).Lsh(sum.Denom(), 1))
	u.costNanoUSD, u.hasCost = twice.Int64(), true
}

func pow10(n int) float64 {
	f := 1.0
	for range n {
		f *= 10
	}
	return f
}

// CostNanoUSD returns the cost that the upstream reports, or nil.
func (u *Report) CostNanoUSD() *int64 {
	if !u.seen || !u.hasCost {
		return nil
	}
	nano := u.costNanoUSD
	return &nano
}
