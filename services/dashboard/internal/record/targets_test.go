package record

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestAttemptsAddUpByTarget(t *testing.T) {
	newer, older := uuid.UUID{2}, uuid.UUID{1}
	failed := Attempt{Provider: "alpha", Model: "small", Code: "PROVIDER_TIMEOUT", Started: 5, End: 900_005}
	other := Attempt{Provider: "alpha", Model: "small", Code: "PROVIDER_OVERLOADED", End: 10}
	served := func(took int64) Attempt {
		return Attempt{Provider: "beta", Model: "small", Started: 100, End: 100 + took}
	}
	got := Targets([]Record{
		{ID: newer, Attempts: []Attempt{failed, served(30)}},
		{ID: older, Attempts: []Attempt{other, failed, served(10)}},
		{Attempts: []Attempt{served(20)}},
		{Attempts: []Attempt{served(40)}},
		{},
	})
	require.Equal(t, []TargetSums{
		{Provider: "beta", Model: "small", Attempts: 4, P50: 20, P95: 40},
		{Provider: "alpha", Model: "small", Attempts: 3, Failures: []Failure{
			{Code: "PROVIDER_TIMEOUT", Attempts: 2, Newest: newer}, {Code: "PROVIDER_OVERLOADED", Attempts: 1, Newest: older},
		}},
	}, got)
	require.EqualValues(t, 3, got[1].Failed())
	require.Empty(t, Targets(nil))
}
