package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// notFound names what is near: a slip, or a model that is called for something
// else.
func notFound(p *policy.Policy, q *Question) error {
	name := short(q.Model)
	message := fmt.Sprintf("there is no model or route %q", name)
	if m, _ := findModel(p, q.Model); m != nil {
		message = fmt.Sprintf("%q is for %s, not for %s", name, m.Kind, q.Kind)
	}
	e := apperr.New(apperr.ModelNotFound, message).With("requested_model", name)
	var known []string
	for _, r := range p.Routes {
		if r.Kind == q.Kind {
			known = append(known, r.Name)
		}
	}
	for _, m := range p.Models {
		if m.Kind == q.Kind {
			known = append(known, m.ID)
		}
	}
	if near := policy.Nearest(q.Model, known); near != "" {
		e = e.With("did_you_mean", near)
	}
	return e
}

// short bounds what is echoed of a client's name.
func short(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "..."
}

// refuse explains an empty plan. Health is the last filter, and what is only
// down would have been tried: so a provider is at its limit, and waiting helps.
// Otherwise the request must change, and the error tells how.
func refuse(p *policy.Policy, q *Question, c *choice, judged []*judgement) error {
	count := map[string]int{}
	for _, j := range judged {
		code, _ := j.fault()
		count[code]++
	}
	switch open := len(judged) - count[NotAllowed]; {
	case count[OverLimit] > 0:
		return unavailable(c, judged)
	case open == 0:
		return apperr.New(apperr.ModelNotAllowed, "this key may use no model of "+c.name).With("requested_model", short(q.Model))
	case count[ContextTooSmall] == open || c.explicit && judged[0].obstacle.code == ContextTooSmall:
		return tooLong(q, judged)
	case c.explicit:
		return unsupported(p, q, judged[0])
	}
	return noneEligible(q, c, judged)
}

func unavailable(c *choice, judged []*judgement) error {
	type candidate struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
		State    string `json:"state"`
	}
	var all []candidate
	for _, j := range judged {
		if code, _ := j.fault(); code == OverLimit {
			all = append(all, candidate{j.target.Provider, j.target.Model, j.state()})
		}
	}
	return apperr.New(apperr.NoRouteAvailable, "everything that could serve "+c.name+" is at its limit at the moment").With("candidates", all)
}

// tooLong has the two phrases by which clients recognise it.
func tooLong(q *Question, judged []*judgement) error {
	var limit int64
	for _, j := range judged {
		if code, _ := j.fault(); code == ContextTooSmall {
			limit = max(limit, j.context)
		}
	}
	message := fmt.Sprintf("context_length_exceeded: the maximum context length is %d tokens, but about %d were requested (%d in the input, %d for the answer)",
		limit, tokens(q), clamp(q.InputTokens), clamp(q.MaxOutputTokens))
	return apperr.New(apperr.ContextLengthExceeded, message).With("limit", limit).With("requested", tokens(q))
}

// unsupported tells which field an explicit model cannot serve, and which
// models can serve all of the request.
func unsupported(p *policy.Policy, q *Question, j *judgement) error {
	by := []string{}
	for _, m := range p.Models {
		if m.Kind == q.Kind && !m.Unlisted && !slices.ContainsFunc(q.Needs, func(n catalog.Capability) bool { return !m.Can(n) }) {
			by = append(by, m.ID)
		}
	}
	message := fmt.Sprintf("%s %s", j.model.ID, j.obstacle.text)
	return apperr.New(apperr.UnsupportedParameter, message).With("param", j.obstacle.need.Param()).With("supported_by", by)
}

func noneEligible(q *Question, c *choice, judged []*judgement) error {
	type excluded struct {
		Model  string `json:"model"`
		Reason string `json:"reason"`
	}
	var all []excluded
	for _, j := range judged {
		code, _ := j.fault()
		if e := (excluded{j.target.Model, code}); !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	e := apperr.New(apperr.NoEligibleRoute, "no model of "+c.name+" can serve this request").
		With("required", slices.Compact(slices.Clone(q.Needs))).With("excluded", all)
	if c.label != "" {
		e = e.With("rule", c.label)
	}
	return e
}
