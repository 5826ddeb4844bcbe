package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// modelNotFoundError reports an unknown model and suggests the nearest known name. For a
// model or route of another kind, the message names that kind.
func modelNotFoundError(p *policy.Policy, q *Question) error {
	name := truncateName(q.Model)
	message := fmt.Sprintf("model or route %q does not exist", name)
	base, effort := policy.SplitEffort(q.Model)
	if m, _ := findModel(p, base); m != nil {
		message = fmt.Sprintf("model %q is for %s, not for %s", name, m.Kind, q.Kind)
	}
	e := apperr.New(apperr.ModelNotFound, message).With("requested_model", name)
	var known []string
	for r := range p.AllRoutes() {
		if r.Kind == q.Kind {
			known = append(known, r.Name)
		} else if r.Name == q.Model {
			e.Message = fmt.Sprintf("route %q is for %s, not for %s", name, r.Kind, q.Kind)
		}
	}
	for _, m := range p.Models {
		if m.Kind == q.Kind {
			known = append(known, m.ID)
		}
	}
	if near := policy.NearestName(base, known); near != "" {
		e = e.With("did_you_mean", policy.JoinEffort(near, effort))
	}
	return e
}

// truncateName limits the length of a client's string in an error or a reason.
func truncateName(name string) string {
	const maxLength = 100
	if len(name) <= maxLength {
		return name
	}
	return strings.ToValidUTF8(name[:maxLength], "") + "..."
}

// emptyPlanError explains why the plan is empty. An open breaker is never the cause,
// because buildPlan admits candidates with an open breaker as a last resort. If a
// provider is at its limit or drained, the client can retry later. In all other cases the
// client must change the request or use another key.
func emptyPlanError(p *policy.Policy, q *Question, c *choice, evaluations []*evaluation) error {
	all := evaluations
	if evaluations = withoutOtherIssuers(q, all); len(evaluations) == 0 && q.Issuer != "" {
		return otherIssuerError(q, c, all)
	}
	count := map[string]int{}
	for _, e := range evaluations {
		code, _ := e.exclusion()
		count[code]++
	}
	switch allowed := len(evaluations) - count[NotAllowed]; {
	case count[OverLimit] > 0:
		return overLimitError(c, evaluations)
	case count[Drained] > 0:
		return drainedError(c, evaluations)
	case allowed == 0:
		return apperr.New(apperr.ModelNotAllowed, "this key is not allowed to use any model of "+c.name).With("requested_model", truncateName(q.Model))
	case count[OverMaxCost] > 0:
		return maxCostError(q, c, evaluations)
	case count[ContextTooSmall] == allowed || c.explicit && evaluations[0].obstacle.code == ContextTooSmall:
		return contextLengthError(q, evaluations)
	case c.explicit && evaluations[0].obstacle.code == OtherProtocol:
		return otherProtocolError(q, c)
	case c.explicit:
		return unsupportedParameterError(p, q, evaluations[0])
	}
	return noEligibleRouteError(q, c, all)
}

func overLimitError(c *choice, evaluations []*evaluation) error {
	return apperr.New(apperr.NoRouteAvailable, "every provider that could serve "+c.name+" has reached its limit; retry later").
		With("candidates", excludedBy(OverLimit, evaluations))
}

// drainedError does not contain the operator's reason, because clients of every account can
// see the error.
func drainedError(c *choice, evaluations []*evaluation) error {
	return apperr.New(apperr.NoRouteAvailable, c.name+" is not available: an operator has drained every provider that could serve it").
		With("candidates", excludedBy(Drained, evaluations))
}

type excludedCandidate struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	State    string `json:"state"`
}

// excludedBy lists the candidates that a code excludes.
func excludedBy(code string, evaluations []*evaluation) []excludedCandidate {
	var all []excludedCandidate
	for _, e := range evaluations {
		if found, text := e.exclusion(); found == code {
			all = append(all, excludedCandidate{e.candidate.Provider, e.candidate.Model, text})
		}
	}
	return all
}

// contextLengthError contains the phrases "context_length_exceeded" and "maximum
// context length", by which clients recognise this error.
func contextLengthError(q *Question, evaluations []*evaluation) error {
	var limit int64
	for _, e := range evaluations {
		if code, _ := e.exclusion(); code == ContextTooSmall {
			limit = max(limit, e.contextTokens)
		}
	}
	message := fmt.Sprintf("context_length_exceeded: the maximum context length is %d tokens, but about %d were requested (%d in the input, %d for the response)",
		limit, requestedTokens(q), clampTokens(q.InputTokens), clampTokens(q.MaxOutputTokens))
	return apperr.New(apperr.ContextLengthExceeded, message).With("limit", limit).With("requested", requestedTokens(q))
}

// unsupportedParameterError names the request field that the requested model does not
// support. It also names the models in the document that have all capabilities that the
// request needs.
func unsupportedParameterError(p *policy.Policy, q *Question, e *evaluation) error {
	supportedBy := []string{}
	for i := range p.Models {
		m := &p.Models[i]
		if m.Kind == q.Kind && !m.Unlisted && (e.candidate.Effort == "" || m.TakesEffort(e.candidate.Effort)) && !slices.ContainsFunc(q.Needs, func(n catalog.Capability) bool { return !m.Can(n) }) {
			supportedBy = append(supportedBy, m.ID)
		}
	}
	message := fmt.Sprintf("%s %s", e.model.ID, e.obstacle.text)
	return apperr.New(apperr.UnsupportedParameter, message).With("param", e.obstacle.need.RequestField()).With("supported_by", supportedBy)
}

func noEligibleRouteError(q *Question, c *choice, evaluations []*evaluation) error {
	type excluded struct {
		Model  string `json:"model"`
		Reason string `json:"reason"`
	}
	var all []excluded
	for _, e := range evaluations {
		code, _ := e.exclusion()
		if model := (excluded{e.candidate.Model, code}); !slices.Contains(all, model) {
			all = append(all, model)
		}
	}
	err := apperr.New(apperr.NoEligibleRoute, "no model of "+c.name+" can serve this request").
		With("required", slices.Compact(slices.Clone(q.Needs))).With("excluded", all)
	switch {
	case q.Issuer != "":
		err = withIssuer(err, q)
		err.Message += ": it " + describeIssuer(q)
	case len(q.NativeOnly) > 0:
		err = withNative(err, q)
		err.Message += ": it " + describeNative(q)
	}
	if c.ruleLabel != "" {
		err = err.With("rule", c.ruleLabel)
	}
	return err
}
