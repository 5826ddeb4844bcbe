package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// alertRules is a file of rules.
type alertRules struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
}

func readRules(t *testing.T) (rules alertRules) {
	t.Helper()
	text, err := os.ReadFile(monitoringDir + "/alerts.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &rules))
	require.NotEmpty(t, rules.Groups)
	return rules
}

func promtool(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "promtool", args...)
	cmd.Dir = monitoringDir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// Prometheus parses every expression of a panel as a rule.
func TestPanelsAreValidPromQL(t *testing.T) {
	t.Parallel()
	var rules strings.Builder
	rules.WriteString("groups:\n- name: panels\n  rules:\n")
	for i, q := range readQueries(t) {
		fmt.Fprintf(&rules, "  - {record: 'panel:%d', expr: '%s'}\n", i, strings.ReplaceAll(q.withInterval("1m"), "'", "''"))
	}
	path := filepath.Join(t.TempDir(), "panels.yaml")
	require.NoError(t, os.WriteFile(path, []byte(rules.String()), 0o600))
	promtool(t, "check", "rules", path)
}

// Every alert fires once and resolves in the tests of the rules.
func TestAlertsFireAndResolve(t *testing.T) {
	t.Parallel()
	promtool(t, "test", "rules", "alerts_test.yaml")
	tests, err := os.ReadFile(monitoringDir + "/alerts_test.yaml")
	require.NoError(t, err)
	runbooks, err := os.ReadFile("../../docs/monitoring.md")
	require.NoError(t, err)
	for _, r := range readRules(t).Groups[0].Rules {
		selector := fmt.Sprintf(`ALERTS{alertname="%s", alertstate="firing"}`, r.Alert)
		require.Equal(t, 2, strings.Count(string(tests), selector), "%s must fire and resolve", r.Alert)
		require.Contains(t, []string{"critical", "warning"}, r.Labels["severity"], r.Alert)
		require.NotEmpty(t, r.Annotations["summary"], r.Alert)
		require.True(t, strings.HasSuffix(r.Annotations["runbook_url"], "/docs/monitoring.md#"+strings.ToLower(r.Alert)), r.Alert)
		require.Contains(t, string(runbooks), "\n### "+r.Alert+"\n", "the runbook of the alert")
	}
}

var (
	metricName = regexp.MustCompile(`\b(?:signalbox|gen_ai_client|process|go)_[a-z0-9_]+\b`)
	// labelText matches what is not the name of a metric: labels, and lists of labels.
	labelText   = regexp.MustCompile(`\{[^}]*\}|\b(?:by|without) \([^)]*\)`)
	suffixOfAny = regexp.MustCompile(`_(?:bucket|count|sum)$`)
)

// metricNames returns the names of the metrics in an expression, without the suffixes of
// histograms.
func metricNames(expr string) (names []string) {
	for _, name := range metricName.FindAllString(labelText.ReplaceAllString(expr, ""), -1) {
		names = append(names, suffixOfAny.ReplaceAllString(name, ""))
	}
	return names
}

// The reference lists every metric that the code creates, so an expression with another name would
// never return data.
func TestMonitoringUsesExistingMetrics(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile("../../docs/reference/metrics.md")
	require.NoError(t, err)
	exprs := map[string]string{}
	for _, q := range readQueries(t) {
		exprs[q.dashboard+", "+q.panel] = q.expr
	}
	for _, r := range readRules(t).Groups[0].Rules {
		exprs[r.Alert] = r.Expr
	}
	for where, expr := range exprs {
		names := metricNames(expr)
		if where != "SignalboxDown" {
			require.NotEmpty(t, names, where)
		}
		for _, name := range names {
			if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
				continue
			}
			require.Contains(t, string(reference), "`"+name+"`", where)
		}
	}
}
