package policies

import (
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

type rulesJSON struct {
	From    string     `json:"from"`
	Version string     `json:"version"`
	Items   []ruleJSON `json:"items"`
}

// ruleJSON is a rule as the document has it.
type ruleJSON struct {
	Route string `json:"route"`
	Index int    `json:"index"`
	// Name is null if the rule has none. Label names it in records.
	Name   *string         `json:"name"`
	Label  string          `json:"label"`
	Line   int             `json:"line"`
	When   []ruleFieldJSON `json:"when"`
	Action []ruleFieldJSON `json:"action"`
	// Text is the whole rule on one line.
	Text string `json:"text"`
	// Filter selects the requests of the account that the rule decided; null if no filter can.
	Filter *string `json:"filter,omitempty"`
	// Figures are null if they are unknown.
	Figures *ruleFiguresJSON `json:"figures"`
}

type ruleFieldJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ruleFiguresJSON has the sums of all accounts. OfAccount is how many of the requests belong to
// the account that asks.
type ruleFiguresJSON struct {
	Requests int64 `json:"requests"`
	Routed   int64 `json:"routed_nano_usd"`
	Baseline int64 `json:"baseline_nano_usd"`
	Saved    int64 `json:"saved_nano_usd"`
	Unpriced int64 `json:"unpriced"`

	OfAccount int64 `json:"account_requests"`
}

func toRuleJSON(r *policy.WrittenRule) ruleJSON {
	toField := func(f policy.WrittenField) ruleFieldJSON { return ruleFieldJSON{Name: f.Name, Value: f.Value} }
	return ruleJSON{
		Route: r.Route, Index: r.Index, Name: jsonvalue.NullIfZero(r.Name), Label: r.Label, Line: r.Line, Text: r.Text,
		When: jsonvalue.ConvertAll(r.When, toField), Action: jsonvalue.ConvertAll(r.Action, toField),
	}
}

// writtenRules returns the rules of a document without figures; empty if it is not valid YAML.
func writtenRules(document string) []ruleJSON {
	rules, err := policy.ListRules([]byte(document))
	if err != nil {
		return []ruleJSON{}
	}
	items := make([]ruleJSON, len(rules))
	for i := range rules {
		items[i] = toRuleJSON(&rules[i])
	}
	return items
}
