package anthropic

import (
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// maxThought is the longest thought that is kept to be sent back: longer than
// any model's.
const maxThought = 4 << 20

// stream turns the events of one upstream into chunks, one by one. Nothing is
// held back; a thought's text is kept until its signature has come, as the
// client needs both together.
type stream struct {
	names *names
	in    jsonscan.Reader
	ev    event
	// id is that of the message, begun is set once it has started and said
	// once a block has.
	id          []byte
	begun, said bool
	usage       usage
	// counted is set once the end has told what it used: the beginning cannot
	// know how much will be said.
	counted bool
	// kind is that of the open block. calls and thoughts count those so far.
	kind            string
	calls, thoughts int
	// argued is set if the open call has arguments, and input is what it
	// began with.
	argued             bool
	input              []byte
	thought, signature []byte
	// letters are those of the text, and blockAt where the open block begins.
	letters, blockAt int
	over             bool
	out              []byte
}

// event is what one event says.
type event struct {
	kind, id     []byte
	start, delta block
	failed       bool
}

const (
	chunkHead = `{"choices":[{"index":0,"delta":{`
	chunkTail = `}}]}`
)

// event returns the chunk that an event becomes, valid until the next, or
// nothing. An event that says error comes back as it is: package openai knows
// what that means. One that cannot be read is PROVIDER_INVALID_RESPONSE.
func (s *stream) event(name, data []byte) ([]byte, error) {
	if err := s.read(data); err != nil {
		return nil, err
	}
	s.out = s.out[:0]
	kind := s.ev.kind
	if len(kind) == 0 {
		kind = name
	}
	switch string(kind) {
	case "message_start":
		return s.start()
	case "content_block_start":
		s.open(&s.ev.start)
	case "content_block_delta":
		s.delta(&s.ev.delta)
	case "content_block_stop":
		s.close()
	case "message_delta":
		s.finish(&s.ev.delta)
	case "message_stop":
		s.over = true
	case "error":
		return s.failure(data), nil
	}
	if s.ev.failed {
		return s.failure(data), nil
	}
	return s.out, nil
}

func (s *stream) read(data []byte) error {
	r := &s.in
	s.ev = event{}
	r.Reset(data, true)
	if !r.Open(jsonscan.BeginObject) {
		return invalid("an event is not a JSON object")
	}
	for r.Member() {
		switch string(r.Name()) {
		case "type":
			s.ev.kind = jsonscan.Text(r.Value())
		case "message":
			s.readMessage()
		case "content_block":
			s.ev.start.read(r)
		case "delta":
			s.ev.delta.read(r)
		case "usage":
			s.usage.read(r)
			s.counted = true
		case "error":
			s.ev.failed = !isNull(r.Value())
		default:
			r.Value()
		}
	}
	if r.End() != nil {
		return invalid("an event is not valid JSON")
	}
	return nil
}

func (s *stream) readMessage() {
	r := &s.in
	if !r.Open(jsonscan.BeginObject) {
		r.Value()
		return
	}
	for r.Member() {
		switch string(r.Name()) {
		case "id":
			s.ev.id = jsonscan.Text(r.Value())
		case "usage":
			s.usage.read(r)
		default:
			r.Value()
		}
	}
}

// start begins the message. Some upstreams say so twice, and some begin another
// one in the midst of the first, of which no client could make one answer.
func (s *stream) start() ([]byte, error) {
	if s.said && string(s.id) != string(s.ev.id) {
		return nil, invalid("another message began before the end of the first")
	}
	s.id = append(s.id[:0], s.ev.id...)
	if s.begun {
		return nil, nil
	}
	s.begun = true
	s.out = append(s.out, chunkHead+`"role":"assistant","content":""`...)
	if !s.usage.told {
		return append(s.out, chunkTail...), nil
	}
	// The end may never come, and what went in is paid for all the same.
	s.out = append(s.out, `}}],"usage":`...)
	return append(s.usage.append(s.out, false), '}'), nil
}

// failure is an event in a shape that is known to be an error.
func (s *stream) failure(data []byte) []byte {
	if s.ev.failed {
		return data
	}
	return append(append(append(s.out[:0], `{"error":`...), data...), '}')
}
