// Package outbound builds the bodies that upstreams get. Such a body is the client's body,
// byte for byte, except for the few values that must change.
//
// Build applies the changes that every upstream needs, and the deviations of one upstream,
// which the catalog lists. SplitBatches splits an embeddings request for an upstream that
// accepts few inputs per call. StripSignature and IsDefault help adapters with their own
// wire format.
//
// The package makes no HTTP calls and contains no code that is specific to one provider.
// The provider adapters use it.
package outbound

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// Build returns the body for an upstream that uses the given model name. The body can have
// megabytes, so it is returned in pieces. Most pieces are slices of the client's body.
// buildPlain lists the changes that every upstream needs. In addition, signatures of other
// vendors are removed from the ids of tool calls (see StripSignature).
//
// w lists how the upstream deviates from the OpenAI format. It may be nil. Members that w
// does not name stay unchanged and in order. dropped names the client's fields that are not
// sent to the upstream, or not with the client's value. It does not name fields with their default value. If the upstream
// cannot serve the request, Build fails with UNSUPPORTED_PARAMETER and names the field in
// param.
func Build(r *requestbody.Request, model string, w *catalog.Wire) (pieces [][]byte, dropped []string, err error) {
	mayHaveSignatures := r.Traits&requestbody.MayHaveSignatures != 0
	if w == nil && !mayHaveSignatures {
		return buildPlain(r, model), nil, nil
	}
	if w == nil {
		w = &catalog.Wire{}
	}
	var storage [8]edit
	e := bodyEditor{req: r, wire: w, fixed: planFixedEdits(r), edits: storage[:0], mayHaveSignatures: mayHaveSignatures}
	members := r.Members()
	for i := range members {
		if err := e.editMember(&members[i], model); err != nil {
			return nil, nil, err
		}
	}
	return e.assemblePieces(), e.dropped, nil
}

// editMember keeps, removes, renames or changes one top-level member.
func (e *bodyEditor) editMember(p *requestbody.Member, model string) error {
	e.beginMember(&e.commas, int(p.NameStart))
	name := e.req.MemberName(p)
	if string(name) == "model" {
		e.commas.hasKept = true
		e.editModel(p, model)
		return nil
	}
	stays, err := e.checkMember(p, name)
	if !stays || err != nil {
		e.removeMember(&e.commas, int(p.Start), int(p.NameStart), int(p.End))
		return err
	}
	e.commas.hasKept = true
	if to, ok := e.wire.Rename[string(name)]; ok {
		e.replaceSpan(span{int(p.NameStart), int(p.NameEnd)}, quoteString(to))
	}
	e.editValue(p, name)
	return nil
}

// editModel writes the model name, followed by the members to add.
func (e *bodyEditor) editModel(p *requestbody.Member, model string) {
	at := valueSpan(e.req, p)
	e.replaceSpan(at, quoteString(model))
	after := span{at.to, at.to}
	if o := e.fixed; o.other == after && o.otherText != "" && !slices.Contains(e.wire.Drop, "stream_options") {
		e.replaceSpan(after, []byte(o.otherText))
	}
	if len(e.wire.Add) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.wire.Add)) {
		if e.req.FindMember(name) == nil {
			e.replaceSpan(after, jsonscan.AppendMember(nil, quoteString(name), e.wire.Add[name]))
		}
	}
}

// editValue changes the value of a member that is sent to the upstream.
func (e *bodyEditor) editValue(p *requestbody.Member, name []byte) {
	at, v, w := valueSpan(e.req, p), e.req.MemberValue(p), e.wire
	switch string(name) {
	case "messages":
		e.editMessages(v, at.from)
		return
	case "stream_options", "encoding_format":
		if o := e.fixed; o.otherText != "" && o.other.from >= at.from && o.other.to <= at.to {
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
		e.clampNumber(at, v, l, name)
	}
	if paths := e.dropPathsIn(name); len(paths) > 0 {
		e.removePaths(v, at.from, paths)
	}
}

// editTokenLimit writes the smaller limit if the client sent both max_tokens and
// max_completion_tokens, but the upstream accepts only one of them.
func (e *bodyEditor) editTokenLimit(at span, v jsontext.Value, name []byte) {
	for from, to := range e.wire.Rename {
		if to != string(name) || e.req.FindMember(from) == nil || from != "max_tokens" && from != "max_completion_tokens" {
			continue
		}
		if n, ok := jsonscan.ParseInteger(v); e.req.MaxOutputTokens > 0 && (!ok || n != e.req.MaxOutputTokens) {
			e.replaceSpan(at, strconv.AppendInt(nil, e.req.MaxOutputTokens, 10))
		}
	}
}

// clampNumber replaces a number that is outside the upstream's limits. It records the field
// as dropped, because the upstream does not get the client's value.
func (e *bodyEditor) clampNumber(at span, v jsontext.Value, l catalog.Limit, name []byte) {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return
	}
	bound := ""
	if least, err := strconv.ParseFloat(l.Min, 64); err == nil && f < least {
		bound = l.Min
	}
	if most, err := strconv.ParseFloat(l.Max, 64); err == nil && f > most {
		bound = l.Max
	}
	if bound != "" {
		e.replaceSpan(at, []byte(bound))
		e.noteDropped(string(name))
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
