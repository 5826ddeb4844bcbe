// Package evidence defines what is known about how good a response was. An Item is one
// observation: the feedback of a source, or a signal that was found in the request and the
// response without a rating. Every item belongs to one request and its account.
// Package signals finds signals, package store keeps the items, and package quality sums
// them up.
package evidence

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Kind is the kind of an observation.
type Kind string

// Feedback is what a person or a program says about a response. All other kinds are
// signals; each of them says that something was wrong.
const Feedback Kind = "feedback"

// The signals.
const (
	// InvalidJSON means that the response is not the JSON that the request asked for.
	InvalidJSON Kind = "invalid_json"
	// Empty means that the response has neither text nor tool calls.
	Empty Kind = "empty"
	// Truncated means that the response ended at the limit of output tokens.
	Truncated Kind = "truncated"
	// Refusal means that the model refused to answer.
	Refusal Kind = "refusal"
	// InvalidToolArguments means that the model called a tool that the request does not
	// offer, or with arguments that violate the tool's schema.
	InvalidToolArguments Kind = "invalid_tool_arguments"
	// Loop means that the model repeated itself or the tool call before.
	Loop Kind = "loop"
	// AskedAgain means that the client soon asked the same question again.
	AskedAgain Kind = "asked_again"
	// Stopped means that the client closed a stream before its end.
	Stopped Kind = "stopped"
	// SwitchedModel means that the client named a model itself right after `auto`.
	SwitchedModel Kind = "switched_model"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		Feedback, InvalidJSON, Empty, Truncated, Refusal, InvalidToolArguments, Loop, AskedAgain, Stopped, SwitchedModel,
	}
}

// FullWeight is the weight of feedback and of signals that leave no doubt. Weights are in
// thousandths.
const FullWeight = 1000

// weights says how strongly a signal speaks against a response, in thousandths. A client
// may stop a stream or name another model for reasons that have nothing to do with quality.
var weights = map[Kind]int64{
	Feedback: FullWeight, InvalidJSON: FullWeight, Empty: FullWeight, InvalidToolArguments: FullWeight,
	Loop: 800, Truncated: 500, Refusal: 500, AskedAgain: 500, SwitchedModel: 400, Stopped: 250,
}

// WeightOf returns the weight of a kind in thousandths.
func WeightOf(k Kind) int64 { return weights[k] }

// Item is one observation about the response to one request.
type Item struct {
	AccountID string
	RequestID uuid.UUID
	Kind      Kind
	// Source is who or what observed it. A later item of the same source replaces an
	// earlier one of the same kind.
	Source string
	// Score is from 0 (bad) to 1000 (good). It is 0 for signals.
	Score int64
	// Weight is from 0 to FullWeight.
	Weight int64
	// Reason explains the item; empty if nothing is to be said.
	Reason  string
	Created time.Time
}

// NewSignal returns a signal about a request.
func NewSignal(account string, request uuid.UUID, k Kind, reason string, at time.Time) Item {
	return Item{
		AccountID: account, RequestID: request, Kind: k, Source: "signal:" + string(k), Weight: WeightOf(k), Reason: reason, Created: at,
	}
}

// compareKeys orders items by what identifies them.
func compareKeys(a, b Item) int {
	return cmp.Or(bytes.Compare(a.RequestID[:], b.RequestID[:]), strings.Compare(a.AccountID, b.AccountID),
		strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Source, b.Source))
}

// Latest sorts the items and drops those that a later item replaces. Of two items with the
// same time, the one that comes later in the list stays.
func Latest(items []Item) []Item {
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b Item) int { return cmp.Or(compareKeys(a, b), a.Created.Compare(b.Created)) })
	out := sorted[:0]
	for i, item := range sorted {
		if i+1 == len(sorted) || compareKeys(item, sorted[i+1]) != 0 {
			out = append(out, item)
		}
	}
	return out
}
