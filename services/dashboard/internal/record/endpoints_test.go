package record

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestSumAttempts(t *testing.T) {
	newer, older := uuid.UUID{2}, uuid.UUID{1}
	failed := Attempt{Provider: "alpha", Model: "small", Code: "PROVIDER_TIMEOUT", Started: 5, Ended: 900_005}
	other := Attempt{Provider: "alpha", Model: "small", Code: "PROVIDER_OVERLOADED", Ended: 10}
	served := func(took int64) Attempt {
		return Attempt{Provider: "beta", Model: "small", Started: 100, Ended: 100 + took}
	}
	got := SumAttempts([]Record{
		{ID: newer, Attempts: []Attempt{failed, served(30)}},
		{ID: older, Attempts: []Attempt{other, failed, served(10)}},
		{Attempts: []Attempt{served(20)}},
		{Attempts: []Attempt{served(40)}},
		{},
	})
	require.Equal(t, []EndpointSums{
		{Provider: "beta", Model: "small", Attempts: 4, P50: 20, P95: 40},
		{Provider: "alpha", Model: "small", Attempts: 3, Failures: []Failure{
			{Code: "PROVIDER_TIMEOUT", Attempts: 2, Newest: newer}, {Code: "PROVIDER_OVERLOADED", Attempts: 1, Newest: older},
		}},
	}, got)
	require.EqualValues(t, 3, got[1].FailedAttempts())
	require.Empty(t, SumAttempts(nil))
}
