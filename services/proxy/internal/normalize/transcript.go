package normalize

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

// storageFactor limits the memory of a Transcript to this multiple of its limit. More
// than the limit is stored because choices and calls arrive interleaved. Which of
// them fit into the result is known only at the end.
const storageFactor = 4

// Transcript records the output of a stream as one response. It is used for capture:
// storing the content of requests. Use it from one goroutine.
type Transcript struct {
	// limit is the maximum length of the result in bytes. remaining is how many more bytes
	// can be stored. omitted counts the bytes that were not stored.
	limit, remaining, omitted int
	stream                    *Stream
	choices                   []transcriptChoice
	buffer                    []byte
}

// maxPooledTranscript is the largest transcript whose memory is reused.
const maxPooledTranscript = 256 << 10

var transcriptPool = sync.Pool{New: func() any { return new(Transcript) }}

// NewTranscript returns a Transcript with a limit in bytes. Call Release after
// use.
func NewTranscript(limit int) *Transcript {
	t := transcriptPool.Get().(*Transcript) //nolint:forcetypeassert // nothing else is stored
	t.limit = limit
	return t
}

// Release ends the use of the transcript. The body that Response returned is invalid
// after that.
func (t *Transcript) Release() {
	small := storageFactor*t.limit-t.remaining <= maxPooledTranscript
	t.reset(nil)
	if small {
		transcriptPool.Put(t)
	}
}

// reset attaches the transcript to a stream and removes all recorded output.
func (t *Transcript) reset(s *Stream) {
	t.stream, t.remaining, t.omitted = s, storageFactor*t.limit, 0
	t.choices = t.choices[:0]
}

// Response returns a chat completion of the output so far, cut at the limit. length
// is its length before the cut. A choice that was interrupted has no finish reason.
// The body is nil if no stream was attached.
func (t *Transcript) Response() (body []byte, length int64) {
	s := t.stream
	if s == nil {
		return nil, 0
	}
	_, _ = s.appendHeld(nil, nil)
	o := Options{ID: s.options.ID, Created: s.options.Created, Model: s.options.Model}
	dst := o.appendResponseHead(t.buffer[:0])
	for i := range t.choices {
		dst = t.choices[i].appendJSON(dst, i, s.stateOf(i))
	}
	dst = append(bytes.TrimSuffix(dst, []byte(",")), ']')
	if s.usage.HasInputOrOutput() {
		dst = s.usage.AppendJSON(append(dst, `,"usage":`...), 0, s.options.OutputRatio.Scale(tokens.EstimateFromLength(s.textBytes)))
	}
	t.buffer = append(dst, '}')
	return t.buffer[:min(len(t.buffer), t.limit)], int64(len(t.buffer) + t.omitted)
}

// choiceAt returns the choice with that index. It adds choices as needed.
func (t *Transcript) choiceAt(index int) *transcriptChoice {
	for len(t.choices) <= index {
		var c *transcriptChoice
		t.choices, c = extendReusing(t.choices)
		*c = transcriptChoice{content: c.content[:0], otherMembers: c.otherMembers[:0], calls: c.calls[:0]}
	}
	return &t.choices[index]
}

// addDelta adds a choice of one event, except its tool calls.
func (t *Transcript) addDelta(ch *choice) {
	c := t.choiceAt(ch.index)
	if len(ch.message.content) > 0 {
		c.content = t.appendText(c.content, ch.message.content)
	}
	t.addMember(&c.otherMembers, `"refusal"`, ch.message.refusal)
	forEachMember(ch.message.extra, func(rawName string, v jsontext.Value) { t.addMember(&c.otherMembers, rawName, v) })
}

// appendText appends the content of a JSON string, as much as the limits allow.
func (t *Transcript) appendText(dst []byte, v jsontext.Value) []byte {
	inner := v[1 : len(v)-1]
	var part []byte
	if len(dst) < t.limit && t.remaining > 0 {
		part = jsonscan.TruncateEscaped(inner, t.limit)
	}
	t.remaining -= len(part)
	t.omitted += len(inner) - len(part)
	return append(dst, part...)
}

// addMember adds a member that we do not interpret.
func (t *Transcript) addMember(o *objectBuilder, rawName string, v jsontext.Value) {
	switch {
	case jsonscan.IsBlank(v):
	case jsonscan.IsString(v):
		p := o.findOrAdd(rawName)
		if len(p.data) == 0 || p.data[0] != '"' {
			p.data = append(p.data[:0], `""`...)
		}
		p.data = append(t.appendText(p.data[:len(p.data)-1], v), '"')
	case len(v) > t.remaining || len(*o) > jsonscan.MaxMembers:
		t.omitted += len(v)
	default:
		t.remaining -= len(v)
		o.join(rawName, v)
	}
}

// addToolCall adds a fragment of a tool call.
func (t *Transcript) addToolCall(index int, f callFragment, k *toolCall) {
	c := t.choiceAt(index)
	for len(c.calls) <= f.position {
		var n *transcriptCall
		c.calls, n = extendReusing(c.calls)
		*n = transcriptCall{kind: n.kind[:0], name: n.name[:0], args: n.args[:0], otherMembers: n.otherMembers[:0], functionMembers: n.functionMembers[:0]}
	}
	n := &c.calls[f.position]
	if f.isNew {
		n.id, n.kind = f.id, append(n.kind, k.kind...)
	}
	n.hasFunction = n.hasFunction || k.hasFunction
	if jsonscan.IsString(f.name) {
		n.name = t.appendText(n.name, f.name)
	}
	if !jsonscan.IsBlank(k.args) {
		n.args = t.appendText(n.args, k.argumentString())
	}
	forEachMember(k.extra, func(rawName string, v jsontext.Value) { t.addMember(&n.otherMembers, rawName, v) })
	forEachMember(k.functionExtra, func(rawName string, v jsontext.Value) { t.addMember(&n.functionMembers, rawName, v) })
}
