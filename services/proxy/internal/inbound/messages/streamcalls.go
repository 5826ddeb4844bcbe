package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// noCall is the value of stream.live if no call is live.
const noCall = -1

// streamCall is a tool call of the chat. The arguments of the live call are sent as they
// arrive. Those of other calls wait in args.
type streamCall struct {
	index    int64
	id, name []byte
	// args holds arguments that are not sent yet, still escaped.
	args []byte
	// isOpen is set while the block of the call is open, isClosed afterwards.
	isOpen, isClosed bool
	progress         objectTracker
}

// addCallFragment adds a fragment of a tool call. The first fragment of a call contains its
// id and its name.
func (s *stream) addCallFragment(raw []byte) {
	index, _ := jsonscan.ParseInteger(jsonscan.Member(raw, "index"))
	function := jsonscan.Member(raw, "function")
	at := s.findCall(index)
	c := &s.calls[at]
	if id := jsonscan.Member(raw, "id"); hasText(id) && c.id == nil {
		c.id = append([]byte(nil), toClientID(id)...)
	}
	if !c.isOpen {
		c.name = append(c.name, inner(jsonscan.Member(function, "name"))...)
	}
	if c.isClosed {
		return
	}
	if s.live == noCall || s.live != at && s.endLiveCall() {
		s.live = at
	}
	if args := jsonscan.Member(function, "arguments"); hasText(args) {
		c.args = append(c.args, inner(args)...)
		s.scratch = jsonscan.AppendUnquoted(s.scratch[:0], args)
		c.progress.read(s.scratch)
	}
	if s.live == at && len(c.args) > 0 {
		s.sendArguments(c)
	}
}

// findCall returns the position of the call with the index. It adds a new call.
func (s *stream) findCall(index int64) int {
	for i := range s.calls {
		if s.calls[i].index == index {
			return i
		}
	}
	s.calls = append(s.calls, streamCall{index: index})
	return len(s.calls) - 1
}

// sendArguments sends the arguments that wait. It opens the block first, if necessary.
func (s *stream) sendArguments(c *streamCall) {
	s.openCall(c)
	if len(c.args) > 0 {
		s.writeDelta("input_json_delta", "partial_json", c.args)
		c.args = c.args[:0]
	}
}

// openCall opens the block of a call. This is delayed until the arguments arrive, because
// the block starts with the name, and some upstreams send the name in pieces.
func (s *stream) openCall(c *streamCall) {
	if c.isOpen {
		return
	}
	s.flushDetails()
	s.closeBlock()
	c.isOpen = true
	name := append(append([]byte{'"'}, c.name...), '"')
	id := c.id
	if id == nil {
		id = []byte(`""`)
	}
	s.openBlockOf(blockToolUse, `,"id":`, string(id), `,"name":`, string(s.responder.names.toClient(name)), `,"input":{}`)
}

// endLiveCall ends the live call if its arguments are a complete object. Otherwise more
// arguments may follow, and it returns false.
func (s *stream) endLiveCall() bool {
	if !s.calls[s.live].progress.isComplete() {
		return false
	}
	s.endCall(&s.calls[s.live])
	return true
}

// endCall sends what is left of a call.
func (s *stream) endCall(c *streamCall) {
	s.sendArguments(c)
	s.closeBlock()
	c.isOpen, c.isClosed = false, true
	s.live = noCall
}

// endCalls ends the live call, then the calls that wait for it.
func (s *stream) endCalls() {
	if s.live != noCall {
		s.endCall(&s.calls[s.live])
	}
	for i := range s.calls {
		if c := &s.calls[i]; !c.isClosed {
			s.endCall(c)
		}
	}
}

// objectTracker follows a growing JSON text and notices the end of its first object.
type objectTracker struct {
	depth              int
	isInString, isNext bool
	done               bool
}

func (o *objectTracker) isComplete() bool { return o.done }

func (o *objectTracker) read(text []byte) {
	for _, c := range text {
		o.readByte(c)
	}
}

func (o *objectTracker) readByte(c byte) {
	switch {
	case o.isNext:
		o.isNext = false
	case o.isInString:
		o.isInString, o.isNext = c != '"', c == '\\'
	case c == '"':
		o.isInString = true
	case c == '{' || c == '[':
		o.depth++
	case c == '}' || c == ']':
		o.depth--
		o.done = o.done || o.depth == 0
	}
}
