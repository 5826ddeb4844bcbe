package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// memberSpan locates a top-level member in the body. Bodies are far below two
// gigabytes, so int32 is enough.
type memberSpan struct {
	// from is the offset after the previous member, before the comma.
	from int32
	// name and nameEnd are the offsets of the name's start and end. to is the offset
	// of the value's end.
	name, nameEnd, to int32
}

// inlineMembers is how many members a Request can store without allocating.
const inlineMembers = 12

// messageTraits are properties of the messages. Some upstreams need an edited body if the
// messages have certain traits. Without these traits, the messages are not read again.
type messageTraits uint8

const (
	// hasDeveloper and hasSystem are set if a message has such a role. Both are set for an
	// unknown role.
	hasDeveloper messageTraits = 1 << iota
	hasSystem
	// hasContentParts is set if the content of a message is an array of parts.
	hasContentParts
	hasToolCalls
	// hasOtherMembers is set if a message has members other than role, content and
	// tool_calls.
	hasOtherMembers
)

// beginMember records where the current member starts. After the value has been
// read, endMember records where it ends.
func (p *parser) beginMember() {
	end := p.Offset()
	p.req.members = append(p.req.members, memberSpan{
		from: int32(p.MemberStart()), name: int32(end - len(p.RawName())), nameEnd: int32(end), //nolint:gosec // see memberSpan
	})
}

func (p *parser) endMember() {
	p.req.members[len(p.req.members)-1].to = int32(p.Offset()) //nolint:gosec // see memberSpan
}

// memberName returns a member's name, unescaped.
func (r *Request) memberName(p *memberSpan) []byte {
	raw := r.Body[p.name:p.nameEnd]
	if bytes.IndexByte(raw, '\\') >= 0 {
		return jsonscan.AppendUnquoted(nil, raw)
	}
	return raw[1 : len(raw)-1]
}

// valueSpan locates a member's value.
func (r *Request) valueSpan(p *memberSpan) span {
	at := int(p.nameEnd)
	for r.Body[at] == ':' || r.Body[at] == ' ' || r.Body[at] == '\n' || r.Body[at] == '\r' || r.Body[at] == '\t' {
		at++
	}
	return span{at, int(p.to)}
}

func (r *Request) memberValue(p *memberSpan) jsontext.Value {
	at := r.valueSpan(p)
	return r.Body[at.from:at.to]
}

// findMember returns the member of that name, or nil.
func (r *Request) findMember(name string) *memberSpan {
	for i := range r.members {
		if string(r.memberName(&r.members[i])) == name {
			return &r.members[i]
		}
	}
	return nil
}
