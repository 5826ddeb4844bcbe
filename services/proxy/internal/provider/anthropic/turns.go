package anthropic

import "slices"

const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
)

// opening is the user's turn before a conversation that begins with the
// assistant's, and resume the one behind one that ends with it, where the model
// does not go on writing another's text.
const (
	opening = `{"type":"text","text":"."},`
	resume  = `{"type":"text","text":"Continue."},`
)

// turns writes the conversation. Blocks of one role that follow each other are
// one turn, and a turn begins with its first block: the format takes no empty
// ones. Every block and turn is written with its comma.
type turns struct {
	buf []byte
	// role is that of the open turn, before that of the one before it, and
	// start where it stands.
	role, before string
	start        int
	// results is where the next result of a tool goes in the open turn: they
	// come before all else.
	results int
	// textAt is where the string of the last block begins, if that is text,
	// and else 0.
	textAt int
	// called and thought are set if the assistant's last turn calls tools and
	// has thinking in it, and answered if results follow it.
	called, thought, answered bool
	// unanswered counts its calls that have no result yet.
	unanswered int
}

// at opens a turn of the role, or goes on with it.
func (t *turns) at(role string) {
	if t.role == role {
		return
	}
	if t.role == "" && role == roleAssistant {
		t.at(roleUser)
		t.buf = append(t.buf, opening...)
	}
	t.close()
	t.before, t.role, t.textAt = t.role, role, 0
	t.buf = append(t.buf, `{"role":"`...)
	t.start = len(t.buf)
	t.buf = append(t.buf, role...)
	t.buf = append(t.buf, `","content":[`...)
	t.results = len(t.buf)
	if role == roleAssistant {
		t.called, t.thought, t.answered, t.unanswered = false, false, false, 0
	}
}

func (t *turns) close() {
	if t.role != "" {
		t.buf = closed(t.buf, "]},")
	}
}

// block adds one that has its comma.
func (t *turns) block(role string, block []byte) {
	t.at(role)
	t.buf = append(t.buf, block...)
	t.textAt = 0
}

// text adds a block of text, unless that is white space.
func (t *turns) text(role string, v, cache []byte) {
	if !isText(v) || isBlank(v) {
		return
	}
	t.at(role)
	t.textAt = len(t.buf) + len(textHead)
	t.buf = appendTextBlock(t.buf, v, cache)
}

// call adds the call of a tool to the assistant's turn.
func (t *turns) call(block []byte) {
	t.block(roleAssistant, block)
	t.called = true
	t.unanswered++
}

// result adds the result of a tool to the user's turn.
func (t *turns) result(block []byte) {
	t.at(roleUser)
	t.buf = slices.Insert(t.buf, t.results, block...)
	t.results += len(block)
	t.answered = true
	t.unanswered = max(0, t.unanswered-1)
}

// prefill makes the end of the conversation one that the model goes on from.
// Where nobody but the system has spoken since, the user says it.
func (t *turns) prefill(taken bool) {
	switch {
	case t.role == roleSystem && t.before == roleAssistant:
		t.buf = slices.Replace(t.buf, t.start, t.start+len(roleSystem), []byte(roleUser)...)
	case t.role != roleAssistant || t.called:
	case !taken:
		t.block(roleUser, []byte(resume))
	case t.textAt > 0:
		t.trim()
	}
}

// trim takes the white space from the end of the last text, with which the
// format lets no conversation end.
func (t *turns) trim() {
	end := t.textAt + 1
	for t.buf[end] != '"' {
		if t.buf[end] == '\\' {
			end++
		}
		end++
	}
	from := t.textAt + 1
	t.buf = slices.Delete(t.buf, from+trimmed(t.buf[from:end]), end)
}

// done is the elements of the messages.
func (t *turns) done() []byte {
	t.close()
	if n := len(t.buf); n > 0 {
		return t.buf[:n-1]
	}
	return t.buf
}

const textHead = `{"type":"text","text":`

// appendTextBlock writes a block of text with its comma.
func appendTextBlock(dst, v, cache []byte) []byte {
	dst = append(dst, textHead...)
	dst = append(append(dst, v...), ',')
	dst = appendMember(dst, "cache_control", cache)
	return closed(dst, "},")
}
