package record

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRejectingLimit(t *testing.T) {
	for text, want := range map[string][2]string{
		"the key's limit of 60 requests per minute is reached":                                             {"requests_per_minute", "key"},
		"this request is estimated at 9 tokens, and the account's limit of 5 tokens per minute never does": {"tokens_per_minute", "account"},
		"the key's limit of 1 request per minute is reached":                                               {"requests_per_minute", "key"},
		"the key's limit of 5 concurrent requests is reached":                                              {"concurrent_requests", "key"},
		"the key's budget of $5.00 a day is used up: $5.01 are spent; it resets at 2026-11-16T00:00:00Z":   {"nano_usd_per_day", "key"},
		"the account's budget of $0.000000001 a month does not cover this request":                         {"nano_usd_per_month", "account"},
		`the budget "a \"team\"" of $5.00 an hour is used up`:                                              {"nano_usd_per_hour", "budget"},
		`the budget "the key's budget of $1 a day" of $5.00 in total does not cover`:                       {"nano_usd_total", "budget"},
		"the key's budget is used up":                                                                      {},
		"the monkey's the key'slimit of 60 requests":                                                       {},
		"the key's limit of sixty requests per minute":                                                     {},
		"": {},
	} {
		name, scope := (&Record{Error: text}).RejectingLimit()
		require.Equal(t, want, [2]string{name, scope}, text)
	}
}

func TestAccountSpendAddsUp(t *testing.T) {
	var s AccountSpend
	require.Zero(t, s.Total)
	s.AddKey("a", Amount{Dollars: 1, Nano: 500_000_000}, Amount{Dollars: 2})
	s.AddKey("b", Amount{Nano: 600_000_000}, Amount{Dollars: 1 << 62, Nano: 1 << 62})
	require.Equal(t, PeriodSpend{2_100_000_000, 1<<63 - 1}, s.Total)
	require.Equal(t, map[string]PeriodSpend{"a": {1_500_000_000, 2_000_000_000}, "b": {600_000_000, 1<<63 - 1}}, s.Keys)
}
