package openai

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// keptTexts is how many texts of full length a Transcript holds in all: choices
// and calls speak by turns, and it is not known which of them will be shown.
const keptTexts = 4

// Transcript keeps what a stream says as the one answer that it adds up to, so
// that a person can read it. It is for one goroutine.
type Transcript struct {
	// limit is how much is shown, and therefore kept of each text; room is what
	// may still be kept of all, and lost how much was said beyond that.
	limit, room, lost int
	stream            *Stream
	said              []said
	out               []byte
}

// maxTranscript is the most memory that is used again.
const maxTranscript = 256 << 10

var transcripts = sync.Pool{New: func() any { return new(Transcript) }}

// NewTranscript keeps up to limit bytes. Free gives its memory back.
func NewTranscript(limit int) *Transcript {
	t := transcripts.Get().(*Transcript) //nolint:forcetypeassert // nothing else is stored
	t.limit = limit
	return t
}

// Free ends the use of the transcript and of what Answer has returned.
func (t *Transcript) Free() {
	small := keptTexts*t.limit-t.room <= maxTranscript
	t.begin(nil)
	if small {
		transcripts.Put(t)
	}
}

// begin makes it that of a stream, of which nothing has been said.
func (t *Transcript) begin(s *Stream) {
	t.stream, t.room, t.lost = s, keptTexts*t.limit, 0
	t.said = t.said[:0]
}

// Answer is a chat completion of all that was said so far, cut at the limit,
// and its length before that. A choice that was broken off has no reason to
// finish. It is nil if no stream began.
func (t *Transcript) Answer() (body []byte, length int64) {
	s := t.stream
	if s == nil {
		return nil, 0
	}
	o := AnswerOptions{ID: s.options.ID, Created: s.options.Created, Model: s.options.Model}
	dst := o.appendHead(t.out[:0])
	for i := range t.said {
		dst = t.said[i].append(dst, i, s.state(i))
	}
	dst = append(bytes.TrimSuffix(dst, []byte(",")), ']')
	if s.usage.split() {
		dst = s.usage.append(append(dst, `,"usage":`...), 0, s.options.Output.Of(tokens.OfBytes(s.text)))
	}
	t.out = append(dst, '}')
	return t.out[:min(len(t.out), t.limit)], int64(len(t.out) + t.lost)
}

func (t *Transcript) choice(index int) *said {
	for len(t.said) <= index {
		var c *said
		t.said, c = extend(t.said)
		*c = said{content: c.content[:0], rest: c.rest[:0], calls: c.calls[:0]}
	}
	return &t.said[index]
}

// delta takes a choice's part of an event, but for its calls.
func (t *Transcript) delta(ch *choice) {
	c := t.choice(ch.index)
	if len(ch.msg.content) > 0 {
		c.content = t.text(c.content, ch.msg.content)
	}
	t.member(&c.rest, `"refusal"`, ch.msg.refusal)
	each(ch.msg.extra, func(rawName string, v jsontext.Value) { t.member(&c.rest, rawName, v) })
}

// text appends a string value, as far as there is room for it.
func (t *Transcript) text(dst []byte, v jsontext.Value) []byte {
	inner := v[1 : len(v)-1]
	var part []byte
	if len(dst) < t.limit && t.room > 0 {
		part = cut(inner, t.limit)
	}
	t.room -= len(part)
	t.lost += len(inner) - len(part)
	return append(dst, part...)
}

// member takes one that we do not interpret.
func (t *Transcript) member(o *object, rawName string, v jsontext.Value) {
	switch {
	case isBlank(v):
	case isText(v):
		p := o.piece(rawName)
		if len(p.data) == 0 || p.data[0] != '"' {
			p.data = append(p.data[:0], `""`...)
		}
		p.data = append(t.text(p.data[:len(p.data)-1], v), '"')
	case len(v) > t.room || len(*o) > maxMembers:
		t.lost += len(v)
	default:
		t.room -= len(v)
		o.join(rawName, v)
	}
}

// call takes a fragment of a tool call.
func (t *Transcript) call(index int, f fragment, k *call) {
	c := t.choice(index)
	for len(c.calls) <= f.place {
		var n *saidCall
		c.calls, n = extend(c.calls)
		*n = saidCall{kind: n.kind[:0], name: n.name[:0], args: n.args[:0], rest: n.rest[:0], inside: n.inside[:0]}
	}
	n := &c.calls[f.place]
	if f.fresh {
		n.id, n.kind = f.id, append(n.kind, k.kind...)
	}
	n.function = n.function || k.function
	if isText(f.name) {
		n.name = t.text(n.name, f.name)
	}
	if !isBlank(k.args) {
		n.args = t.text(n.args, k.textArgs())
	}
	each(k.extra, func(rawName string, v jsontext.Value) { t.member(&n.rest, rawName, v) })
	each(k.inside, func(rawName string, v jsontext.Value) { t.member(&n.inside, rawName, v) })
}
