package openai

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// OutboundTo is Outbound for an upstream that deviates so; w may be nil. What
// w does not name is the client's, byte for byte and in its order, but for the
// signatures of another vendor in the ids of tool calls (see BareID). Dropped
// names the fields that the client sent and the upstream does not get; such as
// say nothing, because they have their default value, are not among them. A
// request that the upstream cannot do fails with UNSUPPORTED_PARAMETER and the
// field in details param.
func (r *Request) OutboundTo(model string, w *catalog.Wire) (pieces [][]byte, dropped []string, err error) {
	signed := r.signed()
	if w == nil && !signed {
		return r.Outbound(model), nil, nil
	}
	if w == nil {
		w = &catalog.Wire{}
	}
	var usual [8]edit
	e := editor{req: r, wire: w, list: usual[:0], signed: signed}
	for i := range r.parts {
		if err := e.member(&r.parts[i], model); err != nil {
			return nil, nil, err
		}
	}
	return e.pieces(), e.dropped, nil
}

func (e *editor) member(p *part, model string) error {
	e.begin(&e.gap, int(p.name))
	name := e.req.nameOf(p)
	if string(name) == "model" {
		e.gap.kept = true
		e.model(p, model)
		return nil
	}
	stays, err := e.judge(p, name)
	if !stays || err != nil {
		e.remove(&e.gap, int(p.from), int(p.name), int(p.to))
		return err
	}
	e.gap.kept = true
	if to, ok := e.wire.Rename[string(name)]; ok {
		e.replace(span{int(p.name), int(p.nameEnd)}, quoted(to))
	}
	e.inside(p, name)
	return nil
}

// model writes the model's name, and behind it what is added.
func (e *editor) model(p *part, model string) {
	at := e.req.valueOf(p)
	e.replace(at, quoted(model))
	behind := span{at.to, at.to}
	if o := e.req.edits; o.other == behind && o.text != "" && !slices.Contains(e.wire.Drop, "stream_options") {
		e.replace(behind, []byte(o.text))
	}
	if len(e.wire.Add) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.wire.Add)) {
		if e.req.find(name) == nil {
			e.replace(behind, appendMember(nil, quoted(name), e.wire.Add[name]))
		}
	}
}

// inside changes the value of a member that stays.
func (e *editor) inside(p *part, name []byte) {
	at, v, w := e.req.valueOf(p), e.req.value(p), e.wire
	switch string(name) {
	case "messages":
		e.messages(v, at.from)
		return
	case "stream_options", "encoding_format":
		if o := e.req.edits; o.text != "" && o.other.from >= at.from && o.other.to <= at.to {
			e.replace(o.other, []byte(o.text))
		}
	case "max_tokens", "max_completion_tokens":
		e.smaller(at, v, name)
	}
	if words := w.Values[string(name)]; words != nil && isText(v) && string(name) != "reasoning_effort" {
		if to, ok := words[text(v)]; ok {
			e.replace(at, quoted(to))
		}
	}
	if l, ok := w.Limits[string(name)]; ok {
		e.clamp(at, v, l)
	}
	if routes := e.routes(name); len(routes) > 0 {
		e.strip(v, at.from, routes)
	}
}

// smaller writes the smaller limit where the client sent two and one of them is
// called like the other.
func (e *editor) smaller(at span, v jsontext.Value, name []byte) {
	for from, to := range e.wire.Rename {
		if to != string(name) || e.req.find(from) == nil || from != "max_tokens" && from != "max_completion_tokens" {
			continue
		}
		if n, ok := integer(v); e.req.MaxOutputTokens > 0 && (!ok || n != e.req.MaxOutputTokens) {
			e.replace(at, strconv.AppendInt(nil, e.req.MaxOutputTokens, 10))
		}
	}
}

func (e *editor) clamp(at span, v jsontext.Value, l catalog.Limit) {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return
	}
	if least, err := strconv.ParseFloat(l.Min, 64); err == nil && f < least {
		e.replace(at, []byte(l.Min))
	}
	if most, err := strconv.ParseFloat(l.Max, 64); err == nil && f > most {
		e.replace(at, []byte(l.Max))
	}
}

// has tells whether the name is in the list.
func has(list []string, name []byte) bool {
	for _, s := range list {
		if s == string(name) {
			return true
		}
	}
	return false
}
