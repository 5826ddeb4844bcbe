package models

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
)

var commands = clitest.Commands(Commands())

func TestModelsAreListed(t *testing.T) {
	out, err := commands.RunOffline(t, "models")
	require.NoError(t, err)
	require.Contains(t, out, "gpt-6-luna")
	require.Regexp(t, `(?m)^ID +PROVIDERS +CONTEXT +IN \$/1M +CACHED +OUT \$/1M +CAPABILITIES +STATUS$`, out)
	require.Regexp(t, `(?m)^gpt-6-luna +openai,azure,openrouter +1050000 +0\.10 +0\.01 +0\.50 +tools,.*files\? +active$`, out)
}

func TestModelsAreNarrowed(t *testing.T) {
	out, err := commands.RunOffline(t, "models", "--provider", "groq", "--capability", "json_schema", "--json")
	require.NoError(t, err)
	var list struct {
		Items []catalog.Entry `json:"items"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	var names []string
	for _, m := range list.Items {
		require.Len(t, m.Endpoints, 1)
		names = append(names, m.ID)
	}
	require.Equal(t, []string{"gpt-oss-120b", "gpt-oss-20b"}, names)

	out, err = commands.RunOffline(t, "models", "--kind", "embeddings")
	require.NoError(t, err)
	require.Contains(t, out, "text-embedding-3-small")
	require.NotContains(t, out, "gpt-6-luna")
	for _, args := range [][]string{{"--kind", "paint"}, {"--capability", "fly"}, {"one", "two"}} {
		_, err = commands.RunOffline(t, append([]string{"models"}, args...)...)
		require.Error(t, err, args)
	}
}

func TestAModelIsExplainedByAnyName(t *testing.T) {
	out, err := commands.RunOffline(t, "models", "claude-sonnet-4-5-20250929")
	require.NoError(t, err)
	for _, line := range []string{
		"claude-sonnet-4-5", "deprecated, released 2025-09-29, retires 2026-11-30", "replaced by claude-sonnet-5-5",
		"at anthropic", "$6.00 one-hour cache write per 1M", "above 200000 input tokens", "earendil-works/pi-ai",
		"sources disagree on context_window", "mdn 1000000", "LiveBench overall (none)",
	} {
		require.Contains(t, out, line)
	}
	out, err = commands.RunOffline(t, "models", "deepseek-v4-pro")
	require.NoError(t, err)
	require.Contains(t, out, "old price since 2026-09-23")
	require.Contains(t, out, "raised twice")
	_, err = commands.RunOffline(t, "models", "gpt-6-lunar")
	require.ErrorContains(t, err, `did you mean`)
}

func TestFormatLifecycle(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	require.Equal(t, "unknown", formatLifecycle(catalog.Lifecycle{}, now))
	require.Equal(t, "active, retires 2026-11-30 (in 15 days)", formatLifecycle(catalog.Lifecycle{Status: catalog.StatusActive, Retires: "2026-11-30"}, now))
	for date, want := range map[string]string{
		"2026-11-16": "retires 2026-11-16 (in 1 day)", "2026-11-15": "retires 2026-11-15 (today)", "2026-11-14": "retired 2026-11-14 (1 day ago)",
	} {
		require.Equal(t, "active, "+want, formatLifecycle(catalog.Lifecycle{Status: catalog.StatusActive, Retires: date}, now))
	}
	cat, err := catalog.Load()
	require.NoError(t, err)
	flash, _ := cat.Model("gemini-3.8-flash")
	var text strings.Builder
	for _, row := range modelRows(cat, flash, now) {
		text.WriteString(strings.Join(row, " ") + "\n")
	}
	require.Contains(t, text.String(), "price since 2026-11-02 $0.75 in")
	require.Contains(t, text.String(), "price from 2027-01-01 $1.50 in")
}
