package decidepb

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// FromQuestion converts a question to its message. The excerpt is the part of the prompt
// from which the router extracts features.
func FromQuestion(q *decide.Question, excerpt string) *routerv1.Question {
	out := &routerv1.Question{Features: FromNamedValues(q.Features), Excerpt: validUTF8(excerpt), Caller: new(routerv1.Caller)}
	fillCaller(out.Caller, &q.Caller)
	fillQuestion(out, q)
	return out
}

// fillQuestion sets all fields of an empty message except the features, the excerpt, the caller and
// the conversation.
func fillQuestion(out *routerv1.Question, q *decide.Question) {
	out.Endpoint, out.Model = fromKind(q.Kind), validUTF8(q.Model)
	out.InputTokens, out.MaxOutputTokens = q.InputTokens, q.MaxOutputTokens
	out.Seed, out.BudgetUsed = q.Seed, q.BudgetUsed
	out.Metadata, out.Sticky = fromMetadata(q.Metadata), fromOptional(q.Sticky)
	out.Qualities, out.Predictor = FromNamedValues(q.Qualities), q.Predictor
	out.NativeProtocol, out.NativeOnly = string(q.NativeProtocol), q.NativeOnly
	out.Issuer, out.Session = validUTF8(q.Issuer), fromSession(q.Session)
	out.MaxCostNanoUsd, out.OwnEffort = q.MaxCost.Pointer(), q.OwnEffort
	for _, need := range q.Needs {
		out.Needs = append(out.Needs, string(need))
	}
	if !q.At.IsZero() {
		out.At = q.At.Unix()
	}
}

func fromKind(kind catalog.Kind) routerv1.Endpoint {
	if kind == catalog.Embeddings {
		return routerv1.Endpoint_ENDPOINT_EMBEDDINGS
	}
	return routerv1.Endpoint_ENDPOINT_CHAT
}

// fillCaller sets all fields of an empty message.
func fillCaller(out *routerv1.Caller, c *decide.Caller) {
	out.AccountId, out.KeyId, out.Tags, out.Models = c.AccountID, c.KeyID, c.Tags, c.Models
	out.MaySwapModel, out.BaselineModel = c.MaySwapModel, c.Baseline
}

func fromMetadata(metadata map[string]string) map[string]string {
	if len(metadata) == 0 {
		return nil
	}
	out := make(map[string]string, len(metadata))
	for name, value := range metadata {
		out[validUTF8(name)] = validUTF8(value)
	}
	return out
}

// ToQuestion converts a message to a question. It rejects an endpoint that this version
// does not have. It leaves out the excerpt, because decisions depend on the excerpt only
// through its features.
func ToQuestion(q *routerv1.Question) (decide.Question, error) {
	kind, err := toKind(q.GetEndpoint())
	if err != nil {
		return decide.Question{}, err
	}
	out := decide.Question{
		Kind: kind, Model: q.GetModel(), Needs: make([]catalog.Capability, len(q.GetNeeds())),
		InputTokens: q.GetInputTokens(), MaxOutputTokens: q.GetMaxOutputTokens(),
		Features: ToNamedValues(q.GetFeatures()), Caller: toCaller(q.GetCaller()), Seed: q.GetSeed(),
		BudgetUsed: q.BudgetUsed, Metadata: q.GetMetadata(), Sticky: toOptional(q.GetSticky()),
		Qualities: ToNamedValues(q.GetQualities()), Predictor: q.GetPredictor(),
		NativeProtocol: catalog.Protocol(q.GetNativeProtocol()), NativeOnly: q.GetNativeOnly(), Issuer: q.GetIssuer(), Session: toSession(q.GetSession()),
		MaxCost: toOptionalInt(q.MaxCostNanoUsd), OwnEffort: q.GetOwnEffort(),
	}
	for i, need := range q.GetNeeds() {
		out.Needs[i] = catalog.Capability(need)
	}
	if q.GetAt() != 0 {
		out.At = time.Unix(q.GetAt(), 0).UTC()
	}
	return out, nil
}

func toKind(endpoint routerv1.Endpoint) (catalog.Kind, error) {
	switch endpoint {
	case routerv1.Endpoint_ENDPOINT_CHAT:
		return catalog.Chat, nil
	case routerv1.Endpoint_ENDPOINT_EMBEDDINGS:
		return catalog.Embeddings, nil
	}
	return "", apperr.New(apperr.InvalidRequest, "unknown endpoint: use chat or embeddings").With("param", "endpoint")
}

func toCaller(c *routerv1.Caller) decide.Caller {
	return decide.Caller{
		AccountID: c.GetAccountId(), KeyID: c.GetKeyId(), Tags: c.GetTags(), Models: c.GetModels(),
		MaySwapModel: c.GetMaySwapModel(), Baseline: c.GetBaselineModel(),
	}
}
