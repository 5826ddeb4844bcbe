package enrich_test

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/explain"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/docsref"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
)

//go:embed testdata/examples.txt
var exampleText string

// exampleKind is a kind of request with its prompts.
type exampleKind struct {
	name    string
	prompts []string
}

func readExamples() (all []exampleKind) {
	for _, section := range strings.Split(strings.TrimPrefix(exampleText, "# "), "\n# ") {
		name, prompts, _ := strings.Cut(section, "\n")
		all = append(all, exampleKind{name, strings.Split(strings.TrimSpace(prompts), "\n---\n")})
	}
	return all
}

// decider decides prompts as a new installation without credentials does.
type decider struct {
	policy   *policy.Policy
	enricher *enrich.Enricher
}

func newDecider(t *testing.T) decider {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	document := policy.Default(func(string) bool { return false }, cat, time.Now())
	p, err := policy.Compile(document, cat)
	require.NoError(t, err)
	return decider{p, enrich.New(cat)}
}

// decide parses a body like a proxy, and decides it.
func (d decider) decide(t *testing.T, model, prompt string) *decide.Decision {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": model, "messages": []map[string]string{{"role": "user", "content": prompt}}})
	require.NoError(t, err)
	r, err := requestbody.ParseChat(body)
	require.NoError(t, err)
	q := d.enricher.Enrich(d.policy, decide.Question{
		Kind: r.Kind, Model: r.Model, Needs: r.RequiredCapabilities, InputTokens: r.InputTokens, Features: r.Features,
	}, r.Excerpt(requestbody.MaxExcerptBytes))
	decision, err := decide.Decide(d.policy, q, decide.AllHealthy{})
	require.NoError(t, err)
	return decision
}

var exampleRoutes = []string{"auto", "auto:economy", "auto:balanced", "auto:quality"}

// TestExamplesReferenceIsCurrent shows ten prompts of each of ten kinds with their decisions
// and reasons, so that a reader can judge them.
func TestExamplesReferenceIsCurrent(t *testing.T) {
	d, text := newDecider(t), strings.Builder{}
	kinds := readExamples()
	require.Len(t, kinds, 10)
	for _, kind := range kinds {
		require.Len(t, kind.prompts, 10, kind.name)
		rows := [][]string{{"prompt", "`auto`", "`economy`", "`balanced`", "`quality`", "quality small / large", "because", "predictor"}}
		for _, prompt := range kind.prompts {
			rows = append(rows, d.exampleRow(t, prompt))
		}
		text.WriteString("## " + kind.name + "\n\n" + docsref.Table(rows) + "\n")
	}
	docsref.Check(t, "reference/examples.md", "examples", strings.TrimSpace(text.String()))
}

func (d decider) exampleRow(t *testing.T, prompt string) []string {
	t.Helper()
	row := []string{shorten(prompt)}
	var last *decide.Decision
	for _, route := range exampleRoutes {
		last = d.decide(t, route, prompt)
		row = append(row, shortModel(last.Plan[0].Model))
	}
	requireRisingCost(t, prompt, row[2:])
	facts := explain.Facts{Features: last.Features, Qualities: last.Qualities, Predictor: last.Predictor}
	e := explain.Explain(facts)
	qualities := explain.FormatQuality(last.Qualities.GetOrZero("sandbox-small")) + " / " + explain.FormatQuality(last.Qualities.GetOrZero("sandbox-large"))
	return append(row, qualities, explain.JoinReasons(e.Reasons), string(e.Guard.State))
}

// requireRisingCost checks that economy does not cost more than balanced, and balanced not more
// than quality.
func requireRisingCost(t *testing.T, prompt string, chosen []string) {
	t.Helper()
	price := map[string]int{"small": 1, "medium": 2, "large": 3}
	require.True(t, slices.IsSortedFunc(chosen, func(a, b string) int { return price[a] - price[b] }), "%s: %v", prompt, chosen)
}

func shortModel(model string) string { return strings.TrimPrefix(model, "sandbox-") }

// shorten returns the start of a prompt as one line that a Markdown table can hold.
func shorten(prompt string) string {
	const most = 70
	line := []rune(strings.NewReplacer("|", " ", "`", "", "<", "‹", "$", "").Replace(strings.Join(strings.Fields(prompt), " ")))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}
