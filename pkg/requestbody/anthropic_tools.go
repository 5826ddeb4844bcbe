package requestbody

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

// readAnthropicSystem reads the system prompt: a string, or an array of text blocks.
func (p *parser) readAnthropicSystem() {
	if p.skipNull() {
		return
	}
	p.counts.otherTokens += tokens.PerMessage
	if p.PeekKind() == jsonscan.String {
		p.countText()
		return
	}
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(errInvalidParam("system", "must be a string or an array of text blocks"))
	}
	for i := 0; p.NextElement(); i++ {
		var b anthropicBlock
		if !p.readAnthropicBlock(&b) || string(b.kind) != `"text"` {
			p.SetError(errInvalidParam("system["+strconv.Itoa(i)+"]", "must be a text block"))
		}
	}
}

// countText reads a value and counts it as text.
func (p *parser) countText() {
	v, n := p.readMeasured()
	if jsonscan.IsString(v) {
		p.counts.textBytes += n - 2
		p.counts.textTokens += p.estimateText(stripQuotes(v))
	}
}

func (p *parser) readAnthropicTools() {
	if p.skipNull() {
		return
	}
	start := p.markText()
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(errInvalidParam("tools", "must be an array"))
	}
	for p.NextElement() {
		p.readAnthropicTool()
		p.counts.tools++
	}
	p.countSince(start)
}

var anthropicToolNames = []string{"type", "name", "input_schema"}

func (p *parser) readAnthropicTool() {
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(p.errInTool("", "must be an object"))
		return
	}
	var kind, name, schema jsontext.Value
	for p.NextMember() {
		switch string(p.Name()) {
		case "type":
			kind = p.readPlain()
		case "name":
			name = p.Value()
		case "input_schema":
			schema = p.Value()
		default:
			p.noteCacheMark()
			p.readUnknownMember(anthropicToolNames)
		}
	}
	switch {
	case p.Err() != nil:
	case isCustomTool(kind):
		p.checkCustomTool(name, schema)
	case IsAnthropicClientTool(kind):
		p.addNativeOnly("client_tool")
	default:
		p.anthropic.serverTools = append(p.anthropic.serverTools, name)
	}
}

func (p *parser) checkCustomTool(name, schema jsontext.Value) {
	p.anthropic.customTools++
	if !jsonscan.IsString(name) || len(name) == 2 {
		p.SetError(p.errInTool(".name", "must be a non-empty string"))
	}
	if jsonscan.IsNull(schema) || schema[0] != '{' {
		p.SetError(p.errInTool(".input_schema", "must be an object"))
	}
}

func (p *parser) errInTool(member, text string) error {
	return errInvalidParam("tools["+strconv.Itoa(p.counts.tools)+"]"+member, text)
}

// isCustomTool reports whether a tool with this type is defined by the client.
func isCustomTool(kind jsontext.Value) bool {
	return jsonscan.IsNull(kind) || string(kind) == `"custom"`
}

// anthropicClientTools lists the types of the tools that Anthropic defines and the client
// runs, without their versions. Other models do not know these tools.
var anthropicClientTools = []string{`"bash_`, `"computer_`, `"memory_`, `"text_editor_`}

// IsAnthropicClientTool reports whether a tool of this type is defined by Anthropic and run
// by the client. kind is the raw value of the member type.
func IsAnthropicClientTool(kind jsontext.Value) bool {
	for _, prefix := range anthropicClientTools {
		if bytes.HasPrefix(kind, []byte(prefix)) {
			return true
		}
	}
	return false
}
