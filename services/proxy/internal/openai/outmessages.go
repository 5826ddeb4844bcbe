package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// messages changes those in v, which stands at base. They are read again only
// if they have what the upstream wants otherwise.
func (e *editor) messages(v jsontext.Value, base int) {
	routes := e.routes([]byte("messages"))
	if !e.touches(len(routes) > 0) {
		return
	}
	routes = elements(routes)
	var s scanner
	s.reset(v, true)
	s.token()
	for s.element() {
		s.token()
		e.message(&s, base, routes)
	}
}

func (e *editor) touches(routes bool) bool {
	w, shape := e.wire, e.req.shape
	return e.signed || routes && shape&(hasOthers|hasCalls|hasParts) != 0 ||
		w.Roles["developer"] != "" && shape&hasDeveloper != 0 ||
		w.Roles["system"] != "" && shape&hasSystem != 0 ||
		w.TextContent && shape&hasParts != 0 ||
		w.ToolIDLength > 0 && shape&(hasCalls|hasOthers) != 0 ||
		w.ReplaysReasoning && shape&hasCalls != 0
}

func (e *editor) message(s *scanner, base int, routes []route) {
	var g gap
	var role string
	var calls bool
	var reasoning jsontext.Value
	var thought span
	for s.member() {
		name := string(s.name)
		v := e.stripMember(s, &g, base, routes)
		at := span{base + s.offset() - len(v), base + s.offset()}
		switch name {
		case "role":
			role = text(v)
			if to := e.wire.Roles[role]; to != "" {
				e.replace(at, quoted(to))
			}
		case "content":
			e.content(v, at)
		case "tool_calls":
			calls = len(v) > 2 && v[0] == '['
			e.callIDs(v, at.from)
		case "tool_call_id":
			e.toolID(v, at)
		case "reasoning_content":
			reasoning, thought = v, at
		}
	}
	if !e.wire.ReplaysReasoning || role != "assistant" || !calls || !isNull(reasoning) {
		return
	}
	if end := base + s.offset() - 1; reasoning == nil {
		e.replace(span{end, end}, []byte(`,"reasoning_content":""`))
	} else {
		e.replace(thought, []byte(`""`))
	}
}

// content makes one text of parts that are all text.
func (e *editor) content(v jsontext.Value, at span) {
	if !e.wire.TextContent || v[0] != '[' {
		return
	}
	if joined, thought, all := joinParts(v); all && len(thought) == 0 {
		e.replace(at, appendQuoted(nil, joined))
	}
}

func (e *editor) callIDs(v jsontext.Value, base int) {
	if e.wire.ToolIDLength == 0 && !e.signed || v[0] != '[' {
		return
	}
	var s scanner
	s.reset(v, true)
	s.token()
	for s.element() {
		s.token()
		for s.member() {
			named := string(s.name) == "id"
			if id := s.value(); named {
				e.toolID(id, span{base + s.offset() - len(id), base + s.offset()})
			}
		}
	}
}

// toolID gives an id that the upstream would refuse the form it demands: the
// same id becomes the same, so that calls and their results still meet.
func (e *editor) toolID(v jsontext.Value, at span) {
	n := e.wire.ToolIDLength
	if n == 0 && !e.signed || !isText(v) || len(v) == n+2 && isAlnum(v[1:len(v)-1]) {
		return
	}
	id := appendText(nil, v)
	if n > 0 {
		e.replace(at, appendQuoted(nil, shortID(id, n)))
	} else if bare := BareID(id); !bytes.Equal(bare, id) {
		e.replace(at, appendQuoted(nil, bare))
	}
}

func isAlnum(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 && c-'A' > 25 && c-'a' > 25 {
			return false
		}
	}
	return true
}
