package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// includeUsage is asked of every upstream that streams: accounting needs it,
// whether or not the client wants to see it.
const includeUsage = `"include_usage":true`

// span is a piece of the body.
type span struct{ from, to int }

// edits is where the values that Outbound may change stand in the body.
type edits struct {
	model span
	// other is the one more place that may have to change, and text what
	// comes there: stream_options of a chat, encoding_format of embeddings.
	other span
	text  string
	// gone is set if other is a member that no upstream gets.
	gone bool
	// lastUser is the content of the last user message.
	lastUser span
	// opening is from the first message to the end of the first user's.
	opening span
}

// Outbound is the body for an upstream that calls the model so, in pieces, most
// of which are the client's own bytes: a body may have megabytes. It is the
// client's, byte for byte, but for the model's name and these: a stream asks
// for usage and never for obfuscation, which only one vendor knows, a plain call
// has no stream_options, which some upstreams refuse then, embeddings are asked
// for as floats where the client wants base64, and a null encoding_format, on
// which some upstreams fail, is left out.
func (r *Request) Outbound(model string) [][]byte {
	e := r.edits
	name := appendQuoted(make([]byte, 0, len(model)+8), model)
	if e.other.from < e.model.from {
		return [][]byte{r.Body[:e.other.from], []byte(e.text), r.Body[e.other.to:e.model.from], name, r.Body[e.model.to:]}
	}
	return [][]byte{r.Body[:e.model.from], name, r.Body[e.model.to:e.other.from], []byte(e.text), r.Body[e.other.to:]}
}

// leavesOut tells whether it is this member that no upstream gets.
func (e *edits) leavesOut(p *part) bool {
	return e.gone && e.other.from <= int(p.name) && int(p.name) < e.other.to
}

// options is where stream_options stands, and in it include_usage.
type options struct {
	member, null, usage span
	// inside is the offset behind the opening brace.
	inside int
	empty  bool
	// rest has the members but include_usage and include_obfuscation, each
	// with its comma; obfuscation is set if there is the latter.
	rest        []byte
	obfuscation bool
}

var optionNames = []string{"include_usage", "include_obfuscation"}

func (p *parser) streamOptions() {
	o := options{member: span{from: p.before}, empty: true}
	switch {
	case p.null():
		o.null = span{p.offset() - len("null"), p.offset()}
	case p.open(jsontext.KindBeginObject):
		o.inside = p.offset()
		for p.member() {
			o.empty = false
			p.streamOption(&o)
		}
	default:
		p.fail(invalid("stream_options", "must be an object"))
	}
	o.member.to = p.offset()
	p.options = o
}

func (p *parser) streamOption(o *options) {
	switch string(p.name) {
	case "include_usage":
		v := p.value()
		p.req.IncludeUsage = p.boolean("stream_options.include_usage", v)
		o.usage = p.spanOf(v)
	case "include_obfuscation":
		o.obfuscation = true
		p.boolean("stream_options.include_obfuscation", p.value())
	default:
		rawName := p.rawName
		o.rest = appendMember(o.rest, rawName, p.unknown(optionNames))
	}
}

// plan settles, when all members are known, what Outbound will change.
func (p *parser) plan() {
	e, o := &p.req.edits, p.options
	switch {
	case p.req.Base64:
		e.other, e.text = p.encoding, `"float"`
	case p.nullEncoding:
		e.other, e.gone = p.removal(p.encoding), true
	case p.req.Kind == catalog.Embeddings:
	case !p.req.Stream && o.member.to > 0:
		e.other, e.gone = p.removal(o.member), true
	case !p.req.Stream:
	case o.member.to == 0:
		e.other, e.text = span{e.model.to, e.model.to}, `,"stream_options":{`+includeUsage+`}`
	case o.obfuscation:
		e.other, e.text = span{o.inside - 1, o.member.to}, "{"+includeUsage+string(o.rest)+"}"
	case o.usage.to > 0:
		e.other, e.text = o.usage, "true"
	case o.null.to > 0:
		e.other, e.text = o.null, "{"+includeUsage+"}"
	case o.empty:
		e.other, e.text = span{o.inside, o.inside}, includeUsage
	default:
		e.other, e.text = span{o.inside, o.inside}, includeUsage+","
	}
}

// removal widens a member's span by one comma: the one before it, which it
// begins with, or, of the first member, the one behind it. There is one, as
// the model is a member too.
func (p *parser) removal(member span) span {
	if bytes.TrimLeft(p.src[member.from:member.to], " \t\r\n")[0] != ',' {
		member.to += bytes.IndexByte(p.src[member.to:], ',') + 1
	}
	return member
}

// spanOf is where the value read last stands.
func (p *parser) spanOf(v jsontext.Value) span {
	end := p.offset()
	return span{end - len(v), end}
}
