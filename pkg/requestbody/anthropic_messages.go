package requestbody

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

// anthropicMessage describes the message that is being read.
type anthropicMessage struct {
	role    jsontext.Value
	content span
	// firstCall is the index in anthropicState.calls of the first tool call of the message.
	firstCall int
	// blocks counts the blocks so far.
	blocks int
	// hasContent is set once the content was read. hasOwn is set if the content has more
	// than tool results. resultBytes counts the text of the tool results.
	hasContent, hasOwn, hasResults bool
	resultBytes                    int
	// startsWithThinking is set if the first block is thinking.
	startsWithThinking bool
}

var anthropicMessageNames = []string{"role", "content"}

func (p *parser) readAnthropicMessages() {
	p.hasPayload = true
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(errInvalidParam("messages", "must be an array"))
	}
	for p.NextElement() {
		p.readAnthropicMessage()
		p.counts.messages++
	}
	if p.counts.messages == 0 {
		p.SetError(errInvalidParam("messages", "must not be empty"))
	}
	if string(p.anthropic.lastRole) == `"assistant"` && len(p.anthropic.calls) == 0 {
		// The model continues this message. Other protocols would start a new one.
		p.addNativeOnly("prefill")
	}
}

func (p *parser) readAnthropicMessage() {
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(p.errInMessage("", "must be an object"))
		return
	}
	m := anthropicMessage{firstCall: len(p.anthropic.calls)}
	before := p.counts.textBytes
	for p.NextMember() {
		switch string(p.Name()) {
		case "role":
			m.role = p.readPlain()
		case "content":
			p.readAnthropicContent(&m)
		default:
			p.readUnknownMember(anthropicMessageNames)
		}
	}
	if p.Err() == nil && !m.hasContent {
		p.SetError(p.errInMessage(".content", "must be a string or an array of blocks"))
	}
	p.endAnthropicMessage(&m, p.counts.textBytes-before-m.resultBytes)
}

// endAnthropicMessage interprets the message by its role. ownBytes is the length of its text
// without tool results.
func (p *parser) endAnthropicMessage(m *anthropicMessage, ownBytes int) {
	s := &p.anthropic
	hasCalls := len(s.calls) > m.firstCall
	switch string(m.role) {
	case `"user"`:
		if hasCalls {
			p.SetError(p.errInMessage(".content", "of a user message must not contain tool_use"))
		}
		p.req.EndsWithToolResult = false
		if m.hasResults {
			p.addToolResult()
		}
		if m.hasOwn || !m.hasResults {
			p.addUserTurn(m.content, ownBytes)
		}
	case `"assistant"`:
		p.addModelMessage()
		if string(s.lastRole) != `"assistant"` {
			s.calls = s.calls[:copy(s.calls, s.calls[m.firstCall:])]
			s.callIndex, s.indexed = callTracker{}, 0
			s.startsWithThinking = m.startsWithThinking
		}
		p.req.CallsLackThinking = len(s.calls) > 0 && !s.startsWithThinking
		fallthrough
	case `"system"`:
		if m.hasResults || hasCalls && string(m.role) == `"system"` {
			p.SetError(p.errInMessage(".content", "must contain tool_use only in assistant messages, and tool_result only in user messages"))
		}
	default:
		p.SetError(p.errInMessage(".role", `must be "user", "assistant" or "system"`))
	}
	if string(m.role) != `"system"` {
		s.lastRole = m.role
	}
}

// addUserTurn counts a message that the user wrote. A message that has only tool results is
// not such a message.
func (p *parser) addUserTurn(content span, ownBytes int) {
	p.counts.turns++
	p.counts.userBytes += ownBytes
	p.req.lastUserContent = content
	if p.counts.turns == 1 {
		p.req.opening = content
	}
}

func (p *parser) readAnthropicContent(m *anthropicMessage) {
	m.hasContent = true
	switch p.PeekKind() {
	case jsonscan.String:
		before := p.Offset()
		p.countText()
		m.hasOwn, m.content = true, p.trimSpan(before)
	case jsonscan.BeginArray:
		p.Enter(jsonscan.BeginArray)
		start := p.Offset() - 1
		for ; p.NextElement(); m.blocks++ {
			p.readMessageBlock(m)
		}
		m.content = span{start, p.Offset()}
	default:
		p.SetError(p.errInMessage(".content", "must be a string or an array of blocks"))
	}
}

// trimSpan returns the span of the string that was read last. from is the offset before it.
func (p *parser) trimSpan(from int) span {
	src, to := p.Source(), p.Offset()
	for from < to && src[from] != '"' {
		from++
	}
	return span{from, to}
}

// readMessageBlock reads a block of a message and checks that it fits the conversation.
func (p *parser) readMessageBlock(m *anthropicMessage) {
	var b anthropicBlock
	before := p.counts.textBytes
	if !p.readAnthropicBlock(&b) {
		p.SetError(p.errInBlock(m, "", "must be an object"))
		return
	}
	if m.blocks == 0 {
		m.startsWithThinking = string(b.kind) == `"thinking"` || string(b.kind) == `"redacted_thinking"`
	}
	switch string(b.kind) {
	case `"tool_use"`:
		m.hasOwn = true
		p.addToolUse(m, &b)
	case `"tool_result"`:
		m.hasResults = true
		m.resultBytes += p.counts.textBytes - before
		p.counts.otherTokens += tokens.PerMessage
		if p.Err() == nil && !p.anthropic.hasCall(m.firstCall, b.toolUseID) {
			p.SetError(p.errInBlock(m, ".tool_use_id", "must be the id of a tool_use block of the previous assistant message"))
		}
	default:
		m.hasOwn = true
		if p.Err() == nil && (!jsonscan.IsString(b.kind) || len(b.kind) == 2) {
			p.SetError(p.errInBlock(m, ".type", "must be a non-empty string"))
		}
	}
}

// maxLinearSearch is the number of calls up to which a search compares all of them. A client
// may send as many calls as fit into a body, so more calls need an index.
const maxLinearSearch = 32

// hasCall reports whether one of the first count calls has the id.
func (s *anthropicState) hasCall(count int, id jsontext.Value) bool {
	if count <= maxLinearSearch {
		return containsText(s.calls[:count], id)
	}
	for ; s.indexed < count; s.indexed++ {
		s.callIndex.add(s.calls[s.indexed])
	}
	return s.callIndex.has(id)
}

func (p *parser) addToolUse(m *anthropicMessage, b *anthropicBlock) {
	switch {
	case p.Err() != nil:
	case !jsonscan.IsString(b.id) || len(b.id) == 2:
		p.SetError(p.errInBlock(m, ".id", "must be a non-empty string"))
	case !jsonscan.IsString(b.name) || len(b.name) == 2:
		p.SetError(p.errInBlock(m, ".name", "must be a non-empty string"))
	default:
		p.anthropic.calls = append(p.anthropic.calls, b.id)
	}
}
