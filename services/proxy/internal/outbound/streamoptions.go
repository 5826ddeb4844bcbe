package outbound

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// includeUsageMember is sent to every streaming upstream, because accounting needs
// the usage even if the client does not.
const includeUsageMember = `"include_usage":true`

func (e *fixedEdits) planStreamOptions(r *requestbody.Request) {
	m := r.FindMember("stream_options")
	switch {
	case !r.Stream && m == nil:
	case !r.Stream:
		e.remove(r, m)
	case m == nil:
		e.other, e.otherText = span{e.model.to, e.model.to}, `,"stream_options":{`+includeUsageMember+`}`
	default:
		e.editStreamOptions(r, m)
	}
}

// editStreamOptions adds include_usage to the client's stream_options.
func (e *fixedEdits) editStreamOptions(r *requestbody.Request, m *requestbody.Member) {
	v, at := r.MemberValue(m), valueSpan(r, m)
	if jsonscan.IsNull(v) {
		e.other, e.otherText = at, "{"+includeUsageMember+"}"
		return
	}
	o := readStreamOptions(v)
	start := at.from + 1
	switch {
	case o.hasObfuscation:
		e.other, e.otherText = at, "{"+includeUsageMember+string(o.otherMembers)+"}"
	case o.usage.to > 0:
		e.other, e.otherText = span{at.from + o.usage.from, at.from + o.usage.to}, "true"
	case len(o.otherMembers) == 0:
		e.other, e.otherText = span{start, start}, includeUsageMember
	default:
		e.other, e.otherText = span{start, start}, includeUsageMember+","
	}
}

// streamOptions describes the value of stream_options.
type streamOptions struct {
	// usage is the span of the value of include_usage.
	usage span
	// otherMembers holds the members except include_usage and include_obfuscation,
	// with a comma before each.
	otherMembers   []byte
	hasObfuscation bool
}

func readStreamOptions(v []byte) (o streamOptions) {
	var s jsonscan.Reader
	s.ResetLimited(v, true)
	s.Enter(jsonscan.BeginObject)
	for s.NextMember() {
		value := s.Value()
		switch string(s.Name()) {
		case "include_usage":
			o.usage = span{s.Offset() - len(value), s.Offset()}
		case "include_obfuscation":
			o.hasObfuscation = true
		default:
			o.otherMembers = jsonscan.AppendMember(o.otherMembers, s.RawName(), value)
		}
	}
	return o
}
