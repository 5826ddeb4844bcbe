package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// includeUsageMember is sent to every streaming upstream, because accounting needs
// the usage even if the client does not.
const includeUsageMember = `"include_usage":true`

// span is a range of offsets in the body.
type span struct{ from, to int }

// bodyEdits locates the values in the body that BuildOutbound may change. It also locates
// parts of the messages for Excerpt and ConversationID.
type bodyEdits struct {
	model span
	// other is a second value that may change. It is stream_options of a chat or
	// encoding_format of embeddings. otherText replaces it.
	other     span
	otherText string
	// removesOther is set if other is a whole member to remove for all upstreams.
	removesOther bool
	// lastUserContent is the content of the last user message.
	lastUserContent span
	// opening is the span from the first message to the end of the first user content.
	opening span
}

// BuildOutbound returns the body for an upstream that uses the given model name. The
// body can have megabytes, so it is returned in pieces. Most pieces are slices of the
// client's body. The bytes are the client's, except for the model name and the following:
//   - A streaming request always requests usage. It never requests obfuscation, which
//     only one vendor supports.
//   - A request without streaming has no stream_options, which some upstreams reject.
//   - If the client requested embeddings as base64, they are requested as floats.
//     ParseEmbeddingsResponse encodes them as base64.
//   - A null encoding_format is omitted, because some upstreams reject it.
func (r *Request) BuildOutbound(model string) [][]byte {
	e := r.edits
	name := jsonscan.AppendQuoted(make([]byte, 0, len(model)+8), model)
	if e.other.from < e.model.from {
		return [][]byte{r.Body[:e.other.from], []byte(e.otherText), r.Body[e.other.to:e.model.from], name, r.Body[e.model.to:]}
	}
	return [][]byte{r.Body[:e.model.from], name, r.Body[e.model.to:e.other.from], []byte(e.otherText), r.Body[e.other.to:]}
}

// removes reports whether the edits remove the member p.
func (e *bodyEdits) removes(p *memberSpan) bool {
	return e.removesOther && e.other.from <= int(p.name) && int(p.name) < e.other.to
}

// streamOptionSpans locates stream_options in the body. null is the span of its value if
// the value is null. usage is the span of the value of include_usage.
type streamOptionSpans struct {
	member, null, usage span
	// start is the offset after the opening brace.
	start   int
	isEmpty bool
	// otherMembers holds the members except include_usage and include_obfuscation,
	// with a comma before each.
	otherMembers   []byte
	hasObfuscation bool
}

var streamOptionNames = []string{"include_usage", "include_obfuscation"}

func (p *parser) readStreamOptions() {
	o := streamOptionSpans{member: span{from: p.MemberStart()}, isEmpty: true}
	switch {
	case p.skipNull():
		o.null = span{p.Offset() - len("null"), p.Offset()}
	case p.Enter(jsonscan.BeginObject):
		o.start = p.Offset()
		for p.NextMember() {
			o.isEmpty = false
			p.readStreamOption(&o)
		}
	default:
		p.SetError(errInvalidParam("stream_options", "must be an object"))
	}
	o.member.to = p.Offset()
	p.streamOptions = o
}

func (p *parser) readStreamOption(o *streamOptionSpans) {
	switch string(p.Name()) {
	case "include_usage":
		v := p.Value()
		p.req.IncludeUsage = p.parseBool("stream_options.include_usage", v)
		o.usage = p.lastValueSpan(v)
	case "include_obfuscation":
		o.hasObfuscation = true
		p.parseBool("stream_options.include_obfuscation", p.Value())
	default:
		rawName := p.RawName()
		o.otherMembers = jsonscan.AppendMember(o.otherMembers, rawName, p.readUnknownMember(streamOptionNames))
	}
}

// planEdits decides which values BuildOutbound changes. It runs after all members
// have been read.
func (p *parser) planEdits() {
	e, o := &p.req.edits, p.streamOptions
	switch {
	case p.req.WantsBase64:
		e.other, e.otherText = p.encoding, `"float"`
	case p.nullEncoding:
		e.other, e.removesOther = p.widenToComma(p.encoding), true
	case p.req.Kind == catalog.Embeddings:
	case !p.req.Stream && o.member.to > 0:
		e.other, e.removesOther = p.widenToComma(o.member), true
	case !p.req.Stream:
	case o.member.to == 0:
		e.other, e.otherText = span{e.model.to, e.model.to}, `,"stream_options":{`+includeUsageMember+`}`
	case o.hasObfuscation:
		e.other, e.otherText = span{o.start - 1, o.member.to}, "{"+includeUsageMember+string(o.otherMembers)+"}"
	case o.usage.to > 0:
		e.other, e.otherText = o.usage, "true"
	case o.null.to > 0:
		e.other, e.otherText = o.null, "{"+includeUsageMember+"}"
	case o.isEmpty:
		e.other, e.otherText = span{o.start, o.start}, includeUsageMember
	default:
		e.other, e.otherText = span{o.start, o.start}, includeUsageMember+","
	}
}

// widenToComma extends the span of a member by one comma. Most spans already start
// with the comma before the member. For the first member of the body, it adds the comma
// after the member. That comma exists, because the model is another member.
func (p *parser) widenToComma(member span) span {
	if bytes.TrimLeft(p.Source()[member.from:member.to], " \t\r\n")[0] != ',' {
		member.to += bytes.IndexByte(p.Source()[member.to:], ',') + 1
	}
	return member
}

// lastValueSpan returns the span of the value that was read last.
func (p *parser) lastValueSpan(v jsontext.Value) span {
	end := p.Offset()
	return span{end - len(v), end}
}
