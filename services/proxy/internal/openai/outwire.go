package openai

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// BuildOutboundFor extends BuildOutbound for an upstream that deviates from the
// OpenAI format. w lists the deviations and may be nil. Members that w does not name
// stay unchanged and in order. In addition, signatures of other vendors are removed from
// the ids of tool calls (see StripSignature).
//
// dropped names the client's fields that are not sent to the upstream. It does not name
// fields with their default value. If the upstream cannot serve the request,
// BuildOutboundFor fails with UNSUPPORTED_PARAMETER and names the field in param.
func (r *Request) BuildOutboundFor(model string, w *catalog.Wire) (pieces [][]byte, dropped []string, err error) {
	mayHaveSignatures := r.mayHaveSignatures()
	if w == nil && !mayHaveSignatures {
		return r.BuildOutbound(model), nil, nil
	}
	if w == nil {
		w = &catalog.Wire{}
	}
	var storage [8]edit
	e := bodyEditor{req: r, wire: w, edits: storage[:0], mayHaveSignatures: mayHaveSignatures}
	for i := range r.members {
		if err := e.editMember(&r.members[i], model); err != nil {
			return nil, nil, err
		}
	}
	return e.assemblePieces(), e.dropped, nil
}

// editMember keeps, removes, renames or changes one top-level member.
func (e *bodyEditor) editMember(p *memberSpan, model string) error {
	e.beginMember(&e.commas, int(p.name))
	name := e.req.memberName(p)
	if string(name) == "model" {
		e.commas.hasKept = true
		e.editModel(p, model)
		return nil
	}
	stays, err := e.checkMember(p, name)
	if !stays || err != nil {
		e.removeMember(&e.commas, int(p.from), int(p.name), int(p.to))
		return err
	}
	e.commas.hasKept = true
	if to, ok := e.wire.Rename[string(name)]; ok {
		e.replaceSpan(span{int(p.name), int(p.nameEnd)}, quoteString(to))
	}
	e.editValue(p, name)
	return nil
}

// editModel writes the model name, followed by the members to add.
func (e *bodyEditor) editModel(p *memberSpan, model string) {
	at := e.req.valueSpan(p)
	e.replaceSpan(at, quoteString(model))
	after := span{at.to, at.to}
	if o := e.req.edits; o.other == after && o.otherText != "" && !slices.Contains(e.wire.Drop, "stream_options") {
		e.replaceSpan(after, []byte(o.otherText))
	}
	if len(e.wire.Add) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.wire.Add)) {
		if e.req.findMember(name) == nil {
			e.replaceSpan(after, jsonscan.AppendMember(nil, quoteString(name), e.wire.Add[name]))
		}
	}
}

// editValue changes the value of a member that is sent to the upstream.
func (e *bodyEditor) editValue(p *memberSpan, name []byte) {
	at, v, w := e.req.valueSpan(p), e.req.memberValue(p), e.wire
	switch string(name) {
	case "messages":
		e.editMessages(v, at.from)
		return
	case "stream_options", "encoding_format":
		if o := e.req.edits; o.otherText != "" && o.other.from >= at.from && o.other.to <= at.to {
			e.replaceSpan(o.other, []byte(o.otherText))
		}
	case "max_tokens", "max_completion_tokens":
		e.editTokenLimit(at, v, name)
	}
	if replacements := w.Values[string(name)]; replacements != nil && jsonscan.IsString(v) && string(name) != "reasoning_effort" {
		if to, ok := replacements[jsonscan.DecodeText(v)]; ok {
			e.replaceSpan(at, quoteString(to))
		}
	}
	if l, ok := w.Limits[string(name)]; ok {
		e.clampNumber(at, v, l)
	}
	if paths := e.dropPathsIn(name); len(paths) > 0 {
		e.removePaths(v, at.from, paths)
	}
}

// editTokenLimit writes the smaller limit if the client sent both max_tokens and
// max_completion_tokens, but the upstream accepts only one of them.
func (e *bodyEditor) editTokenLimit(at span, v jsontext.Value, name []byte) {
	for from, to := range e.wire.Rename {
		if to != string(name) || e.req.findMember(from) == nil || from != "max_tokens" && from != "max_completion_tokens" {
			continue
		}
		if n, ok := jsonscan.ParseInteger(v); e.req.MaxOutputTokens > 0 && (!ok || n != e.req.MaxOutputTokens) {
			e.replaceSpan(at, strconv.AppendInt(nil, e.req.MaxOutputTokens, 10))
		}
	}
}

// clampNumber replaces a number that is outside the upstream's limits.
func (e *bodyEditor) clampNumber(at span, v jsontext.Value, l catalog.Limit) {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return
	}
	if least, err := strconv.ParseFloat(l.Min, 64); err == nil && f < least {
		e.replaceSpan(at, []byte(l.Min))
	}
	if most, err := strconv.ParseFloat(l.Max, 64); err == nil && f > most {
		e.replaceSpan(at, []byte(l.Max))
	}
}

func containsName(list []string, name []byte) bool {
	for _, s := range list {
		if s == string(name) {
			return true
		}
	}
	return false
}
