package account

import "fmt"

// Limits of a key or of an account; 0 means none.
type Limits struct {
	RequestsPerMinute  int64
	TokensPerMinute    int64
	ConcurrentRequests int64
	NanoUSDPerDay      int64
	NanoUSDPerMonth    int64
}

// The names of the budgets, as everywhere.
const (
	perDay   = "nano_usd_per_day"
	perMonth = "nano_usd_per_month"
)

// limit is one of the limits: its name, the most it may be, and where it is.
// More is a slip of the finger, and arithmetic on it could overflow.
type limit struct {
	name string
	most int64
	of   func(*Limits) *int64
}

const (
	maxRequests   = 1_000_000_000
	maxTokens     = 1_000_000_000_000
	maxConcurrent = 1_000_000
	// MaxBudget is a thousand million dollars.
	MaxBudget = 1_000_000_000_000_000_000
)

var limits = []limit{
	{"requests_per_minute", maxRequests, func(l *Limits) *int64 { return &l.RequestsPerMinute }},
	{"tokens_per_minute", maxTokens, func(l *Limits) *int64 { return &l.TokensPerMinute }},
	{"concurrent_requests", maxConcurrent, func(l *Limits) *int64 { return &l.ConcurrentRequests }},
	{perDay, MaxBudget, func(l *Limits) *int64 { return &l.NanoUSDPerDay }},
	{perMonth, MaxBudget, func(l *Limits) *int64 { return &l.NanoUSDPerMonth }},
}

func (l Limits) check() error {
	for _, one := range limits {
		if v := *one.of(&l); v < 0 || v > one.most {
			return invalid("limits", fmt.Sprintf("%s is from 0, which means none, to %d", one.name, one.most)).
				With("name", one.name).With("limit", one.most)
		}
	}
	return nil
}

// addTo adds the limits to what the trail shows of a thing.
func (l Limits) addTo(m members) members {
	for _, one := range limits {
		m["limits."+one.name] = *one.of(&l)
	}
	return m
}

// withLimits adds to the fields that a mask may name: limits, which are all of
// them, and each by itself.
func withLimits[T any](fields map[string]func(to *T, from T), of func(*T) *Limits) map[string]func(to *T, from T) {
	fields["limits"] = func(to *T, from T) { *of(to) = *of(&from) }
	for _, one := range limits {
		fields["limits."+one.name] = func(to *T, from T) { *one.of(of(to)) = *one.of(of(&from)) }
	}
	return fields
}
