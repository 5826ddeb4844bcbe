package openai

import (
	"math/big"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// nanoDigits and tickDigits are how many decimals of a dollar a number of
	// nano-USD and one of ticks has.
	nanoDigits = 9
	tickDigits = 10
	// maxMoney is longer than any price is written, and maxDollars more than
	// any call costs.
	maxMoney   = 40
	maxDollars = 1e6
)

// cost reads what a call costs, in dollars: a number, or an object with a total.
func (u *usage) cost(v jsontext.Value) {
	if v.Kind() == jsontext.KindNumber {
		u.bill(v, 0)
		return
	}
	if v.Kind() != jsontext.KindBeginObject {
		return
	}
	var s scanner
	s.reset(v, true)
	s.token()
	for s.member() {
		total := string(s.name) == "total_cost"
		if v := s.value(); total {
			u.bill(v, 0)
		}
	}
}

// bill takes a number whose last digits are decimals of a dollar, exactly, and
// rounds it half up to nano-USD. What is no sum of money is not believed.
func (u *usage) bill(v jsontext.Value, digits int) {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || len(v) > maxMoney || f < 0 || f > maxDollars*pow10(digits) || f != 0 && f < 1e-30 {
		return
	}
	sum, ok := new(big.Rat).SetString(string(v))
	if !ok {
		return
	}
	sum.Mul(sum, new(big.Rat).SetFrac64(int64(pow10(nanoDigits)), int64(pow10(digits))))
	// Twice the sum and one, halved, is the sum rounded half up.
	twice := new(big.Int).Lsh(sum.Num(), 1)
	twice.Add(twice, sum.Denom())
	twice.Div(twice, new(big.Int).Lsh(sum.Denom(), 1))
	u.nano, u.hasNano = twice.Int64(), true
}

func pow10(n int) float64 {
	f := 1.0
	for range n {
		f *= 10
	}
	return f
}

// money is what the upstream says that it asks; nil where it does not.
func (u *usage) money() *int64 {
	if !u.seen || !u.hasNano {
		return nil
	}
	nano := u.nano
	return &nano
}
