package anthropic

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
)

// openingBlock is the content of a user turn that is inserted if the conversation starts
// with the assistant. resumeBlock is the content of a user turn that is appended if the
// conversation ends with the assistant and the model cannot continue the assistant's text.
const (
	openingBlock = `{"type":"text","text":"."},`
	resumeBlock  = `{"type":"text","text":"Continue."},`
)

// turnWriter writes the messages array. Consecutive blocks of one role form one turn. A
// turn is started together with its first block, because the Anthropic API rejects empty
// turns. Every block and turn is written with a trailing comma.
type turnWriter struct {
	buf []byte
	// role is the role of the open turn. previousRole is the role of the turn before it.
	// roleStart is the offset of the role's value in buf.
	role, previousRole string
	roleStart          int
	// resultsEnd is the offset at which the next tool result of the open turn is inserted.
	// Tool results come before all other blocks.
	resultsEnd int
	// lastTextStart is the offset of the text of the last block. It is 0 if the last block
	// is not a text block.
	lastTextStart int
	// hasToolCalls and hasThinking describe the last assistant turn. hasToolResults is set
	// if tool results follow that turn.
	hasToolCalls, hasThinking, hasToolResults bool
	// pendingCalls counts the tool calls of the last assistant turn without a result.
	pendingCalls int
}

// openTurn starts a turn of the role, unless a turn of that role is already open.
func (t *turnWriter) openTurn(role string) {
	if t.role == role {
		return
	}
	if t.role == "" && role == roleAssistant {
		t.openTurn(roleUser)
		t.buf = append(t.buf, openingBlock...)
	}
	t.closeTurn()
	t.previousRole, t.role, t.lastTextStart = t.role, role, 0
	t.buf = append(t.buf, `{"role":"`...)
	t.roleStart = len(t.buf)
	t.buf = append(t.buf, role...)
	t.buf = append(t.buf, `","content":[`...)
	t.resultsEnd = len(t.buf)
	if role == roleAssistant {
		t.hasToolCalls, t.hasThinking, t.hasToolResults, t.pendingCalls = false, false, false, 0
	}
}

func (t *turnWriter) closeTurn() {
	if t.role != "" {
		t.buf = closeWith(t.buf, "]},")
	}
}

// appendBlock adds a block. The block must end with a comma.
func (t *turnWriter) appendBlock(role string, block []byte) {
	t.openTurn(role)
	t.buf = append(t.buf, block...)
	t.lastTextStart = 0
}

// appendText adds a text block. It skips blank text, which the Anthropic API rejects.
func (t *turnWriter) appendText(role string, v, cache []byte) {
	if !jsonscan.IsString(v) || isBlank(v) {
		return
	}
	t.openTurn(role)
	t.lastTextStart = len(t.buf) + len(textBlockHead)
	t.buf = appendTextBlock(t.buf, v, cache)
}

func (t *turnWriter) appendToolCall(block []byte) {
	t.appendBlock(roleAssistant, block)
	t.hasToolCalls = true
	t.pendingCalls++
}

// insertToolResult adds a tool result to the user's turn, after earlier results and before
// all other blocks.
func (t *turnWriter) insertToolResult(block []byte) {
	t.openTurn(roleUser)
	t.buf = slices.Insert(t.buf, t.resultsEnd, block...)
	t.resultsEnd += len(block)
	t.hasToolResults = true
	t.pendingCalls = max(0, t.pendingCalls-1)
}

// endConversation changes the end of the conversation so that the model can respond. A system
// turn after an assistant turn becomes a user turn. canPrefill is set if the model can
// continue the text of an assistant turn at the end.
func (t *turnWriter) endConversation(canPrefill bool) {
	switch {
	case t.role == roleSystem && t.previousRole == roleAssistant:
		t.buf = slices.Replace(t.buf, t.roleStart, t.roleStart+len(roleSystem), []byte(roleUser)...)
	case t.role != roleAssistant || t.hasToolCalls:
	case !canPrefill:
		t.appendBlock(roleUser, []byte(resumeBlock))
	case t.lastTextStart > 0:
		t.trimLastText()
	}
}

// trimLastText removes trailing white space from the last text, because the Anthropic API
// rejects a conversation that ends with white space.
func (t *turnWriter) trimLastText() {
	end := t.lastTextStart + 1
	for t.buf[end] != '"' {
		if t.buf[end] == '\\' {
			end++
		}
		end++
	}
	from := t.lastTextStart + 1
	t.buf = slices.Delete(t.buf, from+trimmedLen(t.buf[from:end]), end)
}

// finish returns the elements of the messages array.
func (t *turnWriter) finish() []byte {
	t.closeTurn()
	if n := len(t.buf); n > 0 {
		return t.buf[:n-1]
	}
	return t.buf
}

const textBlockHead = `{"type":"text","text":`

// appendTextBlock appends a text block with a trailing comma.
func appendTextBlock(dst, v, cache []byte) []byte {
	dst = append(dst, textBlockHead...)
	dst = append(append(dst, v...), ',')
	dst = appendMember(dst, "cache_control", cache)
	return closeWith(dst, "},")
}
