package ledger

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A request shows the values by which it can be found, and leaves out those that it does not have.
func TestARequestShowsItsSessionUserAndLabels(t *testing.T) {
	var r requestView
	require.NoError(t, json.Unmarshal([]byte(`{"session": "work-1", "agent": "curl", "user": null,
		"inputs": {"tags": ["prod", "eu"], "metadata": {"ticket": "T-1", "team": "search"}}}`), &r))
	require.Equal(t, [][]string{{"Session", "work-1"}, {"Agent", "curl"}, {"Tags", "prod, eu"}, {"Metadata", "team=search, ticket=T-1"}}, r.workRows())
	for _, row := range r.workRows() {
		require.Contains(t, r.tableRows(), row)
	}
	require.Empty(t, (&workView{}).workRows())
}
