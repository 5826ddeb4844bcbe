package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const monitoringDir = "../monitoring"

// query is one expression of a panel.
type query struct{ dashboard, panel, expr string }

// readQueries returns the expressions of all dashboards.
func readQueries(t *testing.T) (all []query) {
	t.Helper()
	files, err := filepath.Glob(monitoringDir + "/dashboards/*.json")
	require.NoError(t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var d struct {
			Title  string
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		require.NoError(t, json.Unmarshal(text, &d), path)
		for _, p := range d.Panels {
			require.NotEmpty(t, p.Targets, "%s, %s", d.Title, p.Title)
			for _, target := range p.Targets {
				all = append(all, query{d.Title, p.Title, target.Expr})
			}
		}
	}
	require.Greater(t, len(all), 40)
	return all
}

// withInterval replaces the variable with which Grafana writes the range of a rate.
func (q query) withInterval(interval string) string {
	return strings.ReplaceAll(q.expr, "$__rate_interval", interval)
}
