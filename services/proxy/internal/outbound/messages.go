package outbound

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// editMessages edits the messages in v for the upstream. base is the offset of v in
// the body. The messages are read only if this upstream needs a change.
func (e *bodyEditor) editMessages(v jsontext.Value, base int) {
	paths := e.dropPathsIn([]byte("messages"))
	if !e.needsMessageEdits(len(paths) > 0) {
		return
	}
	paths = elementPaths(paths)
	var s jsonscan.Reader
	s.ResetLimited(v, true)
	s.Enter(jsonscan.BeginArray)
	var media toolMedia
	for s.NextElement() {
		s.Enter(jsonscan.BeginObject)
		start := s.Offset() - 1
		e.editMessage(&s, base, paths)
		if e.mayHaveToolMedia() {
			e.moveToolMedia(&media, v[start:s.Offset()], base+start)
		}
	}
	e.insertToolMedia(&media)
}

// needsMessageEdits reports whether the messages have a trait for which this upstream
// needs a change.
func (e *bodyEditor) needsMessageEdits(hasDropPaths bool) bool {
	w, traits := e.wire, e.req.Traits
	return e.mayHaveSignatures || hasDropPaths && traits&(requestbody.HasOtherMembers|requestbody.HasToolCalls|requestbody.HasContentParts) != 0 ||
		w.Roles["developer"] != "" && traits&requestbody.HasDeveloper != 0 ||
		w.Roles["system"] != "" && traits&requestbody.HasSystem != 0 ||
		w.TextContent && traits&requestbody.HasContentParts != 0 || e.mayHaveToolMedia() ||
		w.ToolIDLength > 0 && traits&(requestbody.HasToolCalls|requestbody.HasOtherMembers) != 0 ||
		w.ReplaysReasoning && traits&requestbody.HasToolCalls != 0
}

func (e *bodyEditor) editMessage(s *jsonscan.Reader, base int, paths []dropPath) {
	var commas commaTracker
	var role string
	var hasCalls bool
	var reasoning jsontext.Value
	var reasoningSpan span
	for s.NextMember() {
		name := string(s.Name())
		v := e.editNestedMember(s, &commas, base, paths)
		at := span{base + s.Offset() - len(v), base + s.Offset()}
		switch name {
		case "role":
			role = jsonscan.DecodeText(v)
			if to := e.wire.Roles[role]; to != "" {
				e.replaceSpan(at, quoteString(to))
			}
		case "content":
			e.editContent(v, at)
		case "tool_calls":
			hasCalls = len(v) > 2 && v[0] == '['
			e.editCallIDs(v, at.from)
		case "tool_call_id":
			e.editToolID(v, at)
		case "reasoning_content":
			reasoning, reasoningSpan = v, at
		}
	}
	// Some upstreams require reasoning_content in assistant messages with tool calls.
	if !e.wire.ReplaysReasoning || role != "assistant" || !hasCalls || !jsonscan.IsNull(reasoning) {
		return
	}
	if end := base + s.Offset() - 1; reasoning == nil {
		e.replaceSpan(span{end, end}, []byte(`,"reasoning_content":""`))
	} else {
		e.replaceSpan(reasoningSpan, []byte(`""`))
	}
}

// editContent joins the parts of a content into one string if all parts are text.
func (e *bodyEditor) editContent(v jsontext.Value, at span) {
	if !e.wire.TextContent || v[0] != '[' {
		return
	}
	if joined, reasoning, onlyText := requestbody.JoinTextParts(v); onlyText && len(reasoning) == 0 {
		e.replaceSpan(at, jsonscan.AppendQuoted(nil, joined))
	}
}

func (e *bodyEditor) editCallIDs(v jsontext.Value, base int) {
	if e.wire.ToolIDLength == 0 && !e.mayHaveSignatures || v[0] != '[' {
		return
	}
	var s jsonscan.Reader
	s.ResetLimited(v, true)
	s.Enter(jsonscan.BeginArray)
	for s.NextElement() {
		s.Enter(jsonscan.BeginObject)
		for s.NextMember() {
			isID := string(s.Name()) == "id"
			if id := s.Value(); isID {
				e.editToolID(id, span{base + s.Offset() - len(id), base + s.Offset()})
			}
		}
	}
}

// editToolID replaces an id that the upstream does not accept. Equal ids stay equal,
// so that calls and their results still match.
func (e *bodyEditor) editToolID(v jsontext.Value, at span) {
	n := e.wire.ToolIDLength
	if n == 0 && !e.mayHaveSignatures || !jsonscan.IsString(v) || len(v) == n+2 && isAlnum(v[1:len(v)-1]) {
		return
	}
	id := jsonscan.AppendUnquoted(nil, v)
	if n > 0 {
		e.replaceSpan(at, jsonscan.AppendQuoted(nil, hashID(id, n)))
	} else if bare := StripSignature(id); !bytes.Equal(bare, id) {
		e.replaceSpan(at, jsonscan.AppendQuoted(nil, bare))
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
