package policy

import (
	"encoding/json"
	"time"
)

// Test is a request with what should become of it, run offline by the engine.
type Test struct {
	Name string `json:"name"`
	// Request is the body; where it names no model it names the route.
	Request json.RawMessage `json:"request"`
	Key     TestKey         `json:"key,omitzero"`
	// BudgetUsed is in thousandths of the budget; nil when it has none.
	BudgetUsed *int64 `json:"budget_used,omitempty"`
	// At is when it is asked; zero means any time.
	At time.Time `json:"at,omitzero"`
	// Down are the places, each as model@provider, that are down.
	Down   []string `json:"down,omitempty"`
	Expect Expect   `json:"expect"`

	// Line and Column are where the test is written. They are not part of the
	// policy, and zero in one that was decoded.
	Line   int `json:"-"`
	Column int `json:"-"`
}

// TestKey is whose request it is.
type TestKey struct {
	ID      string   `json:"id,omitempty"`
	Account string   `json:"account,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	// Models are those that the key may use; none means all.
	Models       []string `json:"models,omitempty"`
	MaySwapModel bool     `json:"may_swap_model,omitempty"`
}

// Expect is what a test demands; what is empty may be anything.
type Expect struct {
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	// Route is expected, fallback or policy.
	Route string `json:"route,omitempty"`
	// Reason is the code of the reason, and Rule the rule that applied.
	Reason string `json:"reason,omitempty"`
	Rule   string `json:"rule,omitempty"`
	// Code is that of the error with which the request must be refused.
	Code string `json:"code,omitempty"`
}
