package requestbody

import "github.com/signalbox/signalbox/pkg/jsonscan"

// addModelMessage notes a message or an item of the model.
func (p *parser) addModelMessage() {
	p.req.HasHistory, p.req.EndsWithToolResult = true, false
}

// addToolResult notes the result of a tool.
func (p *parser) addToolResult() {
	p.req.HasHistory, p.req.EndsWithToolResult = true, true
}

// noteCacheMark checks whether the current member marks a part for the provider's cache. It
// does not read the value.
func (p *parser) noteCacheMark() {
	if string(p.Name()) == "cache_control" && p.PeekKind() != jsonscan.Null {
		p.req.MarksCache = true
	}
}

// TextMember returns the text of a top-level member. It is empty if the member is missing or
// not a string.
func (r *Request) TextMember(name string) string {
	if m := r.FindMember(name); m != nil {
		if v := r.MemberValue(m); jsonscan.IsString(v) {
			return jsonscan.DecodeText(v)
		}
	}
	return ""
}

// systemMembers are the top-level members that can contain the system prompt.
var systemMembers = []string{"system", "instructions", "systemInstruction", "system_instruction"}

// AppendOpening appends the beginning of the system prompt and of the messages up to the first
// user message, at most limit bytes of each. It appends JSON, so characters may be escaped.
func (r *Request) AppendOpening(dst []byte, limit int) []byte {
	for _, name := range systemMembers {
		if m := r.FindMember(name); m != nil {
			v := r.MemberValue(m)
			dst = append(dst, v[:min(len(v), limit)]...)
		}
	}
	at := r.opening
	return append(dst, r.Body[at.from:max(at.from, min(at.to, at.from+limit))]...)
}
