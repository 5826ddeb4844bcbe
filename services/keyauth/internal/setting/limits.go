package setting

import (
	"fmt"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

// Limits holds the limits of a key or an account; 0 means no limit.
type Limits struct {
	RequestsPerMinute  int64
	TokensPerMinute    int64
	ConcurrentRequests int64
	NanoUSDPerDay      int64
	NanoUSDPerMonth    int64
}

// limitField describes one field of Limits. A value above max is rejected, because it is
// likely a typing error and could overflow.
type limitField struct {
	name  string
	max   int64
	field func(*Limits) *int64
}

const (
	maxRequests   = 1_000_000_000
	maxTokens     = 1_000_000_000_000
	maxConcurrent = 1_000_000
	// MaxBudget is one billion US dollars in nano-USD.
	MaxBudget = 1_000_000_000_000_000_000
)

var limitFields = []limitField{
	{"requests_per_minute", maxRequests, func(l *Limits) *int64 { return &l.RequestsPerMinute }},
	{"tokens_per_minute", maxTokens, func(l *Limits) *int64 { return &l.TokensPerMinute }},
	{"concurrent_requests", maxConcurrent, func(l *Limits) *int64 { return &l.ConcurrentRequests }},
	{spend.PerDay, MaxBudget, func(l *Limits) *int64 { return &l.NanoUSDPerDay }},
	{spend.PerMonth, MaxBudget, func(l *Limits) *int64 { return &l.NanoUSDPerMonth }},
}

// Validate returns an error for the first limit that is out of range.
func (l Limits) Validate() error {
	for _, one := range limitFields {
		if v := *one.field(&l); v < 0 || v > one.max {
			return InvalidParam("limits", fmt.Sprintf("%q must be from 0 (no limit) to %d", one.name, one.max)).
				With("name", one.name).With("limit", one.max)
		}
	}
	return nil
}

// AddTo adds the limits to the audit fields of an object.
func (l Limits) AddTo(m audit.Fields) audit.Fields {
	for _, one := range limitFields {
		m["limits."+one.name] = *one.field(&l)
	}
	return m
}
