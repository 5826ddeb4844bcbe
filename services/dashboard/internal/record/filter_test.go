package record

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// filterCase is a filter with its terms or its error.
type filterCase struct {
	Filter     string `json:"filter"`
	Terms      []Term `json:"terms"`
	Position   *int   `json:"position"`
	Length     *int   `json:"length"`
	DidYouMean string `json:"did_you_mean"`
}

func TestParseFilter(t *testing.T) {
	raw, err := os.ReadFile("testdata/filter_cases.json")
	require.NoError(t, err)
	var cases []filterCase
	require.NoError(t, json.Unmarshal(raw, &cases))
	for _, c := range cases {
		terms, err := ParseFilter(c.Filter)
		if c.Terms != nil {
			require.NoError(t, err, c.Filter)
			require.Equal(t, c.Terms, append([]Term{}, terms...), c.Filter)
			continue
		}
		var refusal *apperr.Error
		require.True(t, errors.As(err, &refusal), c.Filter)
		require.Equal(t, apperr.InvalidRequest, refusal.Code)
		require.Equal(t, "filter", refusal.Details["param"])
		if c.Position != nil {
			require.Equal(t, *c.Position, refusal.Details["position"], c.Filter)
			require.Equal(t, *c.Length, refusal.Details["length"], c.Filter)
		}
		meant, _ := refusal.Details["did_you_mean"].(string)
		require.Equal(t, c.DidYouMean, meant, c.Filter)
	}
}

func TestFilterLimits(t *testing.T) {
	_, err := ParseFilter(strings.Repeat("a", maxFilterBytes))
	require.NoError(t, err)
	for _, bad := range []string{strings.Repeat("a", maxFilterBytes+1), strings.Repeat("%", 1000), "model:\xff"} {
		_, err := ParseFilter(bad)
		require.True(t, apperr.Is(err, apperr.InvalidRequest))
	}
}

// TestEveryFieldCanBeNamed checks that the parser accepts every listed field.
func TestEveryFieldCanBeNamed(t *testing.T) {
	for _, s := range fieldSpecs() {
		value := "x"
		switch {
		case s.choices != nil:
			value = s.choices[0]
		case s.units != nil:
			value = "0"
		}
		terms, err := ParseFilter(string(s.field) + ":" + value)
		require.NoError(t, err)
		require.Equal(t, s.field, terms[0].Field)
	}
}
