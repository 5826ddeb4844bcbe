package decide_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
)

func policyOf(t testing.TB, name string) *policy.Policy {
	document, err := os.ReadFile("testdata/" + name + ".policy.yaml")
	require.NoError(t, err)
	return compiled(t, string(document))
}

// goldenQuestion is a question in YAML; candidates are written as model@provider.
type goldenQuestion struct {
	Policy          string               `yaml:"policy"`
	Kind            catalog.Kind         `yaml:"kind"`
	Model           string               `yaml:"model"`
	Needs           []catalog.Capability `yaml:"needs"`
	InputTokens     int64                `yaml:"input_tokens"`
	MaxOutputTokens int64                `yaml:"max_output_tokens"`
	MaxCost         string               `yaml:"max_cost"`
	OwnEffort       bool                 `yaml:"own_effort"`
	Features        map[string]int64     `yaml:"features"`
	Key             goldenKey            `yaml:"key"`
	At              string               `yaml:"at"`
	BudgetUsed      *int64               `yaml:"budget_used"`
	Metadata        map[string]string    `yaml:"metadata"`
	Sticky          string               `yaml:"sticky"`
	Qualities       map[string]int64     `yaml:"qualities"`
	Predictor       string               `yaml:"predictor"`
	Seed            uint64               `yaml:"seed"`
	NativeProtocol  catalog.Protocol     `yaml:"native_protocol"`
	NativeOnly      []string             `yaml:"native_only"`
	Issuer          string               `yaml:"issuer"`
	Down            map[string]string    `yaml:"down"`
	Latency         map[string]int64     `yaml:"latency"`
	Session         *goldenSession       `yaml:"session"`
}

type goldenKey struct {
	ID           string   `yaml:"id"`
	Account      string   `yaml:"account"`
	Tags         []string `yaml:"tags"`
	Models       []string `yaml:"models"`
	MaySwapModel bool     `yaml:"may_swap_model"`
	Baseline     string   `yaml:"baseline"`
}

func (g *goldenQuestion) question(t testing.TB) decide.Question {
	q := decide.Question{
		Kind: g.Kind, Model: g.Model, Needs: g.Needs, InputTokens: g.InputTokens, MaxOutputTokens: g.MaxOutputTokens,
		Features: decide.NamedValuesFromMap(g.Features), BudgetUsed: g.BudgetUsed, Metadata: g.Metadata, Qualities: decide.NamedValuesFromMap(g.Qualities), Predictor: g.Predictor, Seed: g.Seed,
		OwnEffort: g.OwnEffort, NativeProtocol: g.NativeProtocol, NativeOnly: g.NativeOnly, Issuer: g.Issuer,
		Caller: decide.Caller{
			AccountID: g.Key.Account, KeyID: g.Key.ID, Tags: g.Key.Tags, Models: g.Key.Models,
			MaySwapModel: g.Key.MaySwapModel, Baseline: g.Key.Baseline,
		},
	}
	if q.Kind == "" {
		q.Kind = catalog.Chat
	}
	if g.At != "" {
		at, err := time.Parse(time.RFC3339, g.At)
		require.NoError(t, err)
		q.At = at
	}
	if g.MaxCost != "" {
		nano, ok := catalog.ParseUSD(g.MaxCost)
		require.True(t, ok)
		q.MaxCost = decide.KnownInt(nano)
	}
	q.Sticky, q.Session = candidateAt(g.Sticky), g.Session.session()
	return q
}

// state is the health of candidates, by model@provider.
type state struct {
	down    map[string]string
	latency map[string]int64
}

func (s state) DownReason(t decide.Candidate) string { return s.down[at(t)] }
func (s state) Latency(t decide.Candidate) int64     { return s.latency[at(t)] }

func at(t decide.Candidate) string { return policy.JoinEffort(t.Model+"@"+t.Provider, t.Effort) }

// outcome is the content of a golden file. It omits versions, because they change with the
// catalog.
type outcome struct {
	Plan             []string       `json:"plan,omitempty"`
	HealthyFirst     string         `json:"healthy_first,omitempty"`
	PolicyControlled bool           `json:"policy_controlled,omitempty"`
	Reason           *decide.Reason `json:"reason,omitempty"`
	Verdicts         []string       `json:"verdicts,omitempty"`
	Baseline         string         `json:"baseline,omitempty"`
	Code             apperr.Code    `json:"code,omitempty"`
	Message          string         `json:"message,omitempty"`
	Details          apperr.Details `json:"details,omitempty"`
}

func show(d *decide.Decision, err error) outcome {
	if err != nil {
		e := apperr.From(err)
		delete(e.Details, "policy")
		return outcome{Code: e.Code, Message: e.Message, Details: e.Details}
	}
	o := outcome{HealthyFirst: at(d.HealthyFirst), PolicyControlled: d.PolicyControlled, Reason: &d.Reason, Baseline: d.Baseline}
	for _, t := range d.Plan {
		o.Plan = append(o.Plan, at(t))
	}
	for _, v := range d.Verdicts {
		numbers := map[string]any{"cost": v.PredictedCost, "latency": v.Latency, "quality": v.Quality}
		if v.SessionCost.Known {
			numbers["session"] = v.SessionCost
		}
		text, _ := json.Marshal(numbers)
		o.Verdicts = append(o.Verdicts, at(v.Candidate)+" "+v.Code+": "+v.Text+" "+string(text))
	}
	return o
}

type goldenCase struct {
	golden.Case
	policy   *policy.Policy
	question decide.Question
	health   state
}

func goldens(t testing.TB) []goldenCase {
	policies := map[string]*policy.Policy{"": policyOf(t, "places")}
	for _, name := range []string{"rules", "embeddings", "protocols", "endpoints", "sessions", "aims"} {
		policies[name] = policyOf(t, name)
	}
	var all []goldenCase
	for _, c := range golden.ReadCases(t, "testdata/cases") {
		var g goldenQuestion
		require.NoError(t, yaml.UnmarshalWithOptions([]byte(c.Input), &g, yaml.Strict()), c.Name)
		require.NotNil(t, policies[g.Policy], c.Name)
		all = append(all, goldenCase{c, policies[g.Policy], g.question(t), state{g.Down, g.Latency}})
	}
	return all
}

func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			got, err := json.MarshalIndent(show(decide.Decide(g.policy, g.question, g.health)), "", "  ")
			require.NoError(t, err)
			g.Check(t, string(got)+"\n")
		})
	}
}

// If every provider is healthy, the plan starts with HealthyFirst.
func TestHealthyFirstIsTheFirstOfAHealthyWorld(t *testing.T) {
	for _, g := range goldens(t) {
		healthy, err := decide.Decide(g.policy, g.question, state{latency: g.health.latency})
		if err != nil {
			continue
		}
		require.Equal(t, healthy.Plan[0], healthy.HealthyFirst, g.Name)
		if d, err := decide.Decide(g.policy, g.question, g.health); err == nil {
			require.Equal(t, healthy.Plan[0], d.HealthyFirst, g.Name)
		}
	}
}
