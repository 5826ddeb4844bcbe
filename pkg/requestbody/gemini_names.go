package requestbody

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// geminiSeen marks the members of an object that were read. Bit i stands for name i of the
// object's list of names.
type geminiSeen uint32

// geminiName returns the camelCase name of the current member, or "" if names does not
// contain it. Google accepts camelCase and snake_case. It fails if the object has a member in
// both spellings, because it is not defined which of them counts.
func (p *parser) geminiName(names []string, seen *geminiSeen, path string) string {
	name := p.Name()
	for i, camel := range names {
		if string(name) != camel && !isSnakeCaseOf(name, camel) {
			continue
		}
		if *seen&(1<<i) != 0 {
			p.SetError(errInvalidParam(path+string(name), "is also set as "+otherSpelling(name)))
		}
		*seen |= 1 << i
		return camel
	}
	return ""
}

// isSnakeCaseOf reports whether name is the snake_case spelling of a camelCase name.
func isSnakeCaseOf(name []byte, camel string) bool {
	if bytes.IndexByte(name, '_') < 0 {
		return false
	}
	at := 0
	for i := range len(camel) {
		c := camel[i]
		if c >= 'A' && c <= 'Z' {
			if at >= len(name) || name[at] != '_' {
				return false
			}
			at++
			c += 'a' - 'A'
		}
		if at >= len(name) || name[at] != c {
			return false
		}
		at++
	}
	return at == len(name)
}

// otherSpelling returns a snake_case name in camelCase, and a camelCase name in snake_case.
func otherSpelling(name []byte) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '_' && i+1 < len(name):
			i++
			b.WriteByte(name[i] - ('a' - 'A'))
		case c >= 'A' && c <= 'Z':
			b.WriteByte('_')
			b.WriteByte(c + 'a' - 'A')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// readUnknownGemini reads a member that we do not interpret. Like readUnknownMember it
// rejects a name that differs from a known one only in case.
func (p *parser) readUnknownGemini(names []string, path string) jsontext.Value {
	for _, name := range names {
		if bytes.EqualFold([]byte(name), p.Name()) {
			p.SetError(errInvalidParam(path+string(p.Name()), fmt.Sprintf("must be spelled %q", name)))
		}
	}
	return p.Value()
}

// checkGeminiKind reads a top-level member and checks the kind of its value. kinds are the
// first bytes of allowed values. Null is always allowed.
func (p *parser) checkGeminiKind(kinds, description string) jsontext.Value {
	name := p.Name()
	v := p.Value()
	if p.Err() == nil && !jsonscan.IsNull(v) && strings.IndexByte(kinds, v[0]) < 0 {
		p.SetError(errInvalidParam(p.gemini.prefix+string(name), "must be "+description))
	}
	return v
}

// readOneOrMany calls read for each element of an array, or once for a single object. The
// index is noIndex for a single object. It returns false for any other value.
func (p *parser) readOneOrMany(read func(p *parser, index int)) bool {
	switch p.PeekKind() {
	case jsonscan.BeginObject:
		read(p, noIndex)
	case jsonscan.BeginArray:
		p.Enter(jsonscan.BeginArray)
		for index := 0; p.NextElement(); index++ {
			read(p, index)
		}
	default:
		return false
	}
	return true
}
