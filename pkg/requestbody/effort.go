package requestbody

import (
	"bytes"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// effortPaths lists, by protocol, where a client can set how much the model reasons. An object
// such as "thinking" counts as a whole, because it switches the reasoning on or off.
var effortPaths = map[Protocol][][]string{
	ChatCompletions: {{"reasoning_effort"}, {"reasoning", "effort"}, {"thinking"}},
	Responses:       {{"reasoning", "effort"}},
	Messages:        {{"output_config", "effort"}, {"thinking"}},
	Gemini: {
		{"generationConfig", "thinkingConfig", "thinkingLevel"}, {"generationConfig", "thinkingConfig", "thinkingBudget"},
	},
}

// SetsEffort reports whether the client itself sets the reasoning effort.
func (r *Request) SetsEffort() bool {
	if r.Kind != catalog.Chat {
		return false
	}
	for _, path := range effortPaths[r.Protocol] {
		m := r.findNamed(path[0])
		if m == nil {
			continue
		}
		if v := findPath(r.MemberValue(m), path[1:]); len(v) > 0 && !jsonscan.IsNull(v) {
			return true
		}
	}
	return false
}

// findNamed returns the member of that name, or of the name in snake_case, or nil.
func (r *Request) findNamed(name string) *Member {
	if m := r.FindMember(name); m != nil || r.Protocol != Gemini {
		return m
	}
	return r.FindMember(toSnakeCase(name))
}

// findPath returns the value at a path in an object, or nil.
func findPath(v []byte, path []string) []byte {
	for _, name := range path {
		inner := jsonscan.Member(v, name)
		if inner == nil {
			inner = jsonscan.Member(v, toSnakeCase(name))
		}
		v = inner
	}
	return v
}

// toSnakeCase returns a name such as thinking_config for thinkingConfig.
func toSnakeCase(name string) string {
	var b strings.Builder
	for _, letter := range name {
		if letter >= 'A' && letter <= 'Z' {
			b.WriteByte('_')
			letter += 'a' - 'A'
		}
		b.WriteRune(letter)
	}
	return b.String()
}

// WithEffort returns the request with a reasoning effort, in the dialect of its protocol. The
// request must not set its own. All other bytes stay the same.
func WithEffort(r *Request, effort string) (*Request, error) {
	switch r.Protocol {
	case Messages:
		return withMessagesEffort(r, effort)
	case Responses:
		return ParseResponses(setPath(r.Body, []string{"reasoning", "effort"}, quote(effort)))
	case Gemini:
		level := quote(thinkingLevels[effort])
		return ParseGenerateContent(setPath(r.Body, []string{"generationConfig", "thinkingConfig", "thinkingLevel"}, level), r.Model, r.Stream)
	}
	return ParseChat(setPath(r.Body, []string{"reasoning_effort"}, quote(effort)))
}

// withMessagesEffort sets the effort of an Anthropic model. It does not switch thinking on: a
// client that does not ask for thinking need not handle it.
func withMessagesEffort(r *Request, effort string) (*Request, error) {
	switch effort {
	case "none":
		return ParseMessages(setPath(r.Body, []string{"thinking"}, []byte(`{"type":"disabled"}`)))
	case "minimal":
		effort = "low" // the lowest effort of Anthropic
	}
	return ParseMessages(setPath(r.Body, []string{"output_config", "effort"}, quote(effort)))
}

// thinkingLevels maps efforts to Google's thinking levels. The thinking of models with levels
// cannot be disabled.
var thinkingLevels = map[string]string{
	"none": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "HIGH", "max": "HIGH",
}

func quote(text string) []byte { return jsonscan.AppendQuoted(nil, text) }

// setPath returns the object with a value at a path. Missing objects on the path, and null, are
// replaced. Members can also have their names in snake_case.
func setPath(object []byte, path []string, value []byte) []byte {
	var s jsonscan.Reader
	s.ResetLimited(object, true)
	for s.Enter(jsonscan.BeginObject); s.NextMember(); {
		isMatch := string(s.Name()) == path[0] || string(s.Name()) == toSnakeCase(path[0])
		v := s.Value()
		if !isMatch {
			continue
		}
		end := s.Offset()
		inner := nestValue(path[1:], value)
		if len(path) > 1 && !jsonscan.IsNull(v) {
			inner = setPath(v, path[1:], value)
		}
		return bytes.Join([][]byte{object[:end-len(v)], inner, object[end:]}, nil)
	}
	return insertFirst(object, path[0], nestValue(path[1:], value))
}

// insertFirst returns the object with a further member in front. A value that is not an object
// stays as it is.
func insertFirst(object []byte, name string, value []byte) []byte {
	open := bytes.IndexByte(object, '{')
	if open < 0 {
		return object
	}
	rest, comma := object[open+1:], []byte(",")
	if bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("}")) {
		comma = nil
	}
	return bytes.Join([][]byte{object[:open+1], quote(name), []byte(":"), value, comma, rest}, nil)
}

// nestValue returns the value inside one object for each name.
func nestValue(names []string, value []byte) []byte {
	for i := len(names) - 1; i >= 0; i-- {
		value = bytes.Join([][]byte{[]byte("{"), quote(names[i]), []byte(":"), value, []byte("}")}, nil)
	}
	return value
}
