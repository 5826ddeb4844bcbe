package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// part is where a top-level member stands in the body. Bodies are far below
// two gigabytes.
type part struct {
	// from is the offset behind what precedes it, the comma included.
	from int32
	// name and nameEnd are where its name begins and ends, to where all of it
	// ends.
	name, nameEnd, to int32
}

// commonParts is how many members a request has room for in itself.
const commonParts = 12

// shape is what the messages have that some upstreams want otherwise: with
// none of it they need not be read again.
type shape uint8

const (
	hasDeveloper shape = 1 << iota
	hasSystem
	// hasParts is a content that is a list.
	hasParts
	hasCalls
	// hasOthers are members other than role, content and tool_calls.
	hasOthers
)

// note keeps where the member is that the scanner has come to; end completes
// it when its value has been read.
func (p *parser) note() {
	end := p.offset()
	p.req.parts = append(p.req.parts, part{
		from: int32(p.before), name: int32(end - len(p.rawName)), nameEnd: int32(end), //nolint:gosec // see part
	})
}

func (p *parser) noteEnd() {
	p.req.parts[len(p.req.parts)-1].to = int32(p.offset()) //nolint:gosec // see part
}

// nameOf is a member's name, unescaped.
func (r *Request) nameOf(p *part) []byte {
	raw := r.Body[p.name:p.nameEnd]
	if bytes.IndexByte(raw, '\\') >= 0 {
		return appendText(nil, raw)
	}
	return raw[1 : len(raw)-1]
}

// valueOf is where a member's value stands.
func (r *Request) valueOf(p *part) span {
	at := int(p.nameEnd)
	for r.Body[at] == ':' || r.Body[at] == ' ' || r.Body[at] == '\n' || r.Body[at] == '\r' || r.Body[at] == '\t' {
		at++
	}
	return span{at, int(p.to)}
}

func (r *Request) value(p *part) jsontext.Value {
	at := r.valueOf(p)
	return r.Body[at.from:at.to]
}

// find is the member of that name, nil if there is none.
func (r *Request) find(name string) *part {
	for i := range r.parts {
		if string(r.nameOf(&r.parts[i])) == name {
			return &r.parts[i]
		}
	}
	return nil
}
