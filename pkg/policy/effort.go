package policy

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// effortMark separates a model from a reasoning effort, as in gpt-x#low.
const effortMark = "#"

// SplitEffort splits a name such as gpt-x#low or gpt-x@openai#low into the model and the
// reasoning effort. The effort is empty if the name contains none.
func SplitEffort(name string) (model, effort string) {
	if at := strings.LastIndex(name, effortMark); at > 0 && at+len(effortMark) < len(name) {
		return name[:at], name[at+len(effortMark):]
	}
	return name, ""
}

// JoinEffort is the inverse of SplitEffort.
func JoinEffort(model, effort string) string {
	if effort == "" {
		return model
	}
	return model + effortMark + effort
}

// TakesEffort reports whether the model has the reasoning effort.
func (m *Model) TakesEffort(effort string) bool { return slices.Contains(m.Efforts, effort) }

// effortField is the request field of the reasoning effort in the chat format.
const effortField = "reasoning_effort"

// EndpointTakesEffort reports whether a request with the reasoning effort can be sent to the
// endpoint.
func (m *Model) EndpointTakesEffort(e *Endpoint, effort string) bool {
	if !m.TakesEffort(effort) || slices.Contains(e.Lacks, catalog.Reasoning) {
		return false
	}
	if e.Wire == nil {
		return true
	}
	allowed, isLimited := e.Wire.AllowedValues[effortField]
	return !slices.Contains(e.Wire.Drop, effortField) && (!isLimited || slices.Contains(allowed, effort))
}

// readCandidateName reads a candidate: a name, or {model: NAME, effort: low}. It returns the
// name with the effort and the position of the model.
func (c *compiler) readCandidateName(v value) (name string, at value, ok bool) {
	if _, isMap := v.node.(ast.MapNode); !isMap {
		name, ok = c.readString(v)
		return name, v, ok
	}
	f := c.readFields(v, "model", "effort")
	at, ok = f["model"]
	if !ok {
		c.reportProblem(v, CodeMissingField, `a candidate needs the field "model", such as {model: NAME, effort: low}`)
		return "", v, false
	}
	if name, ok = c.readString(at); !ok {
		return "", at, false
	}
	effort, hasEffort := f["effort"]
	if _, written := SplitEffort(name); hasEffort && written != "" {
		c.reportProblem(effort, CodeBadValue, `the name %q already has an effort: remove one of them`, name)
		return "", at, false
	}
	if hasEffort {
		text, isText := c.readString(effort)
		return JoinEffort(name, text), at, isText
	}
	return name, at, true
}

// checkEffort reports an effort that no endpoint of the candidate takes. An empty provider
// means every endpoint.
func (c *compiler) checkEffort(v value, m *Model, provider, effort string) {
	if effort == "" || slices.ContainsFunc(m.Endpoints, func(e Endpoint) bool {
		return (provider == "" || provider == e.Provider) && m.EndpointTakesEffort(&e, effort)
	}) {
		return
	}
	switch {
	case len(m.Efforts) == 0:
		c.reportProblem(v, CodeBadValue, `model %q has no reasoning effort: remove %q, or list its efforts under "models"`, m.ID, effort)
	case m.TakesEffort(effort):
		c.reportProblem(v, CodeBadValue, "no provider of %q takes a reasoning effort here: remove %q", m.ID, effort)
	default:
		c.reportUnknownName(v, CodeBadValue, effort, m.Efforts, "model %q does not take the reasoning effort %q: use one of %s", m.ID, effort, strings.Join(m.Efforts, ", "))
	}
}

// readEfforts reads the reasoning efforts of a model, and returns them lowest first.
func (c *compiler) readEfforts(v value) []string {
	names, at := c.readStrings(v)
	for i := range names {
		c.readOneOf(at[i], CodeBadValue, catalog.Efforts())
	}
	known := catalog.Efforts()
	slices.SortFunc(names, func(a, b string) int { return slices.Index(known, a) - slices.Index(known, b) })
	return names
}
