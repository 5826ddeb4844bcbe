package policy

import (
	"encoding/json"
	"time"
)

// Test is a request of a route with its expected decision. Running a test calls no
// provider.
type Test struct {
	Name string `json:"name"`
	// Request is the request body. A body without a model requests the route.
	Request json.RawMessage `json:"request"`
	Key     TestKey         `json:"key,omitzero"`
	// BudgetUsed is in thousandths of the budget; nil means that no budget is set.
	BudgetUsed *int64 `json:"budget_used,omitempty"`
	// At is the time of the request; zero means unknown.
	At time.Time `json:"at,omitzero"`
	// Down lists the endpoints that are down, as a model or model@provider.
	Down   []string    `json:"down,omitempty"`
	Expect Expectation `json:"expect"`

	// Line and Column are the position in the document. They are not part of the
	// policy, and are zero after Decode.
	Line   int `json:"-"`
	Column int `json:"-"`
}

// TestKey describes the key that sends the request.
type TestKey struct {
	ID      string   `json:"id,omitempty"`
	Account string   `json:"account,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	// Models lists the models that the key may use; empty means all.
	Models       []string `json:"models,omitempty"`
	MaySwapModel bool     `json:"may_swap_model,omitempty"`
}

// Expectation is the expected decision. An empty field matches any value.
type Expectation struct {
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	// Route is "expected", "fallback" or "policy".
	Route string `json:"route,omitempty"`
	// Reason is the code of the reason for the decision.
	Reason string `json:"reason,omitempty"`
	// Rule is the name of the rule that must apply, or select[i] if it has no name.
	Rule string `json:"rule,omitempty"`
	// Code is the expected error code of a rejected request.
	Code string `json:"code,omitempty"`
}
