package requestbody

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// Member locates a top-level member in the body of a Request. Bodies are far below two
// gigabytes, so int32 is enough.
type Member struct {
	// Start is the offset after the previous member, before the comma.
	Start int32
	// NameStart and NameEnd are the offsets of the name's start and end. End is the
	// offset of the value's end.
	NameStart, NameEnd, End int32
}

// inlineMembers is how many members a Request can store without allocating.
const inlineMembers = 12

// MessageTraits are properties of the messages. Some upstreams need an edited body if the
// messages have certain traits. Without these traits, the messages are not read again.
type MessageTraits uint8

// These are the traits.
const (
	// HasDeveloper and HasSystem are set if a message has such a role. Both are set for an
	// unknown role.
	HasDeveloper MessageTraits = 1 << iota
	HasSystem
	// HasContentParts is set if the content of a message is an array of parts.
	HasContentParts
	HasToolCalls
	// HasOtherMembers is set if a message has members other than role, content and
	// tool_calls.
	HasOtherMembers
	// MayHaveSignatures is set if SignatureSeparator occurs in a tool call or in one of these
	// other members, such as tool_call_id.
	MayHaveSignatures
)

// SignatureSeparator separates two parts in the id of a tool call: the actual id, and a
// signature that the vendor expects in later requests. Clients return ids unchanged.
const SignatureSeparator = "__thought__"

// beginMember records where the current member starts. After the value has been
// read, endMember records where it ends.
func (p *parser) beginMember() {
	end := p.Offset()
	p.req.members = append(p.req.members, Member{
		Start: int32(p.MemberStart()), NameStart: int32(end - len(p.RawName())), NameEnd: int32(end), //nolint:gosec // see Member
	})
}

func (p *parser) endMember() {
	p.req.members[len(p.req.members)-1].End = int32(p.Offset()) //nolint:gosec // see Member
}

// Members returns the top-level members of the body, in order. Their names are unique.
func (r *Request) Members() []Member { return r.members }

// MemberName returns a member's name, unescaped.
func (r *Request) MemberName(m *Member) []byte {
	raw := r.Body[m.NameStart:m.NameEnd]
	if bytes.IndexByte(raw, '\\') >= 0 {
		return jsonscan.AppendUnquoted(nil, raw)
	}
	return raw[1 : len(raw)-1]
}

// MemberValue returns a member's value, which ends at m.End.
func (r *Request) MemberValue(m *Member) jsontext.Value {
	at := m.NameEnd
	for r.Body[at] == ':' || r.Body[at] == ' ' || r.Body[at] == '\n' || r.Body[at] == '\r' || r.Body[at] == '\t' {
		at++
	}
	return r.Body[at:m.End]
}

// FindMember returns the member of that name, or nil.
func (r *Request) FindMember(name string) *Member {
	for i := range r.members {
		if string(r.MemberName(&r.members[i])) == name {
			return &r.members[i]
		}
	}
	return nil
}
