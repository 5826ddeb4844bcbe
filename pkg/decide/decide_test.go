package decide_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

var update = flag.Bool("update", false, "write the golden files")

// testPolicy has small at two places; see testdata/policy.yaml.
func testPolicy(t testing.TB) *policy.Policy {
	cat, err := catalog.Load()
	require.NoError(t, err)
	document, err := os.ReadFile("testdata/policy.yaml")
	require.NoError(t, err)
	p, err := policy.Compile(document, cat)
	require.NoError(t, err)
	return p
}

// downs are targets, written model@provider, with why they are down.
type downs map[string]string

func (d downs) Down(t decide.Target) string { return d[t.Model+"@"+t.Provider] }

type golden struct {
	Question decide.Question `json:"question"`
	Down     downs           `json:"down"`
}

// outcome is what a golden file shows. Versions are left out: they change with
// the catalog, decisions do not.
type outcome struct {
	Decision *decide.Decision `json:"decision,omitempty"`
	Code     apperr.Code      `json:"code,omitempty"`
	Message  string           `json:"message,omitempty"`
	Details  apperr.Details   `json:"details,omitempty"`
}

func run(p *policy.Policy, g golden) outcome {
	d, err := decide.Decide(p, g.Question, g.Down)
	if err != nil {
		e := apperr.From(err)
		return outcome{Code: e.Code, Message: e.Message, Details: e.Details}
	}
	d.Policy, d.Catalog = "", ""
	return outcome{Decision: d}
}

func readGolden(t testing.TB, path string) golden {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var g golden
	require.NoError(t, dec.Decode(&g), path)
	return g
}

func goldens(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.in.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

func TestGolden(t *testing.T) {
	p := testPolicy(t)
	for _, path := range goldens(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".in.json")
		t.Run(name, func(t *testing.T) {
			got, err := json.MarshalIndent(run(p, readGolden(t, path)), "", "  ")
			require.NoError(t, err)
			got = append(got, '\n')
			out := strings.Replace(path, ".in.json", ".out.json", 1)
			if *update {
				require.NoError(t, os.WriteFile(out, got, 0o600))
			}
			want, err := os.ReadFile(out)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

// The same inputs give the same bytes, whatever the order of the needs, and
// the inputs stay as they are.
func TestDeterminism(t *testing.T) {
	p := testPolicy(t)
	before, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	for _, path := range goldens(t) {
		g := readGolden(t, path)
		given, err := json.Marshal(g)
		require.NoError(t, err)
		want := run(p, g)
		after, err := json.Marshal(g)
		require.NoError(t, err)
		require.Equal(t, string(given), string(after), path)
		for range 20 {
			slices.Reverse(g.Question.Needs)
			require.Equal(t, want, run(p, g), path)
		}
	}
	require.Equal(t, before, p)
}

func TestDecisionNamesItsVersions(t *testing.T) {
	p := testPolicy(t)
	d, err := decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: "auto"}, decide.Healthy{})
	require.NoError(t, err)
	require.Equal(t, p.Version(), d.Policy)
	require.Equal(t, p.Catalog, d.Catalog)
	require.Equal(t, decide.EngineVersion, d.Engine)
}

// In a healthy world the plan begins with the healthy first.
func TestHealthyFirstIsTheFirstOfAHealthyWorld(t *testing.T) {
	p := testPolicy(t)
	for _, path := range goldens(t) {
		g := readGolden(t, path)
		healthy, err := decide.Decide(p, g.Question, decide.Healthy{})
		if err != nil {
			continue
		}
		require.Equal(t, healthy.Plan[0], healthy.HealthyFirst, path)
		if d, err := decide.Decide(p, g.Question, g.Down); err == nil {
			require.Equal(t, healthy.Plan[0], d.HealthyFirst, path)
		}
	}
}

func TestContextErrorHasThePhrasesThatClientsLookFor(t *testing.T) {
	_, err := decide.Decide(testPolicy(t), decide.Question{Kind: catalog.Chat, Model: "small", InputTokens: 1 << 30}, decide.Healthy{})
	require.True(t, apperr.Is(err, apperr.ContextLengthExceeded))
	require.ErrorContains(t, err, "context_length_exceeded")
	require.ErrorContains(t, err, "maximum context length")
}

func TestNoNameIsSuggestedThatWouldNotDo(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte("version: 1\nproviders: {sandbox: {}}\nmodels: {m: {endpoints: [{provider: sandbox, model: x}]}}\n"+
		"defaults: {baseline: m}\nroutes: {auto: {select: [{candidates: [m]}]}}"), cat)
	require.NoError(t, err)
	for kind, want := range map[catalog.Kind]any{catalog.Embeddings: nil, catalog.Chat: "auto"} {
		_, err = decide.Decide(p, decide.Question{Kind: kind, Model: "autoo"}, decide.Healthy{})
		require.True(t, apperr.Is(err, apperr.ModelNotFound))
		require.Equal(t, want, apperr.From(err).Details["did_you_mean"], kind)
	}
	_, err = decide.Decide(p, decide.Question{Kind: catalog.Embeddings, Model: "auto"}, decide.Healthy{})
	require.True(t, apperr.Is(err, apperr.ModelNotFound))
	require.NotContains(t, apperr.From(err).Details, "did_you_mean")
}

func TestLongNamesAreNotEchoedWhole(t *testing.T) {
	endless := strings.Repeat("x", 1<<20)
	_, err := decide.Decide(testPolicy(t), decide.Question{Kind: catalog.Chat, Model: endless}, decide.Healthy{})
	require.True(t, apperr.Is(err, apperr.ModelNotFound))
	require.Less(t, len(apperr.From(err).Body("", apperr.Flat)), 1000)

	cat, err := catalog.Load()
	require.NoError(t, err)
	long := strings.Repeat("m", 128)
	p, err := policy.Compile([]byte("version: 1\nproviders: {sandbox: {}}\nmodels: {"+long+": {endpoints: [{provider: sandbox, model: x}]}}"), cat)
	require.NoError(t, err)
	_, err = decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: long, Asker: decide.Asker{Models: []string{"other"}}}, decide.Healthy{})
	require.True(t, apperr.Is(err, apperr.ModelNotAllowed))
	require.NotContains(t, string(apperr.From(err).Body("", apperr.Flat)), long)
}

func BenchmarkDecide(b *testing.B) {
	p := testPolicy(b)
	for name, q := range map[string]decide.Question{
		"explicit": {Kind: catalog.Chat, Model: "small", InputTokens: 500},
		"auto":     {Kind: catalog.Chat, Model: "auto", InputTokens: 500, Needs: []catalog.Capability{catalog.Tools}, Features: map[string]int64{"turns": 3}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decide.Decide(p, q, decide.Healthy{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
