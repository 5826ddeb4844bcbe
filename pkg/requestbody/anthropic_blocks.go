package requestbody

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// ThinkingMark starts the signatures of thinking blocks that the proxy itself issued, because
// the thinking came from another vendor. Such a signature does not bind a request to
// Anthropic.
const ThinkingMark = "sbx1."

// IsOwnThinking reports whether the proxy issued a signature. v is the raw JSON string.
func IsOwnThinking(v jsontext.Value) bool { return bytes.HasPrefix(v, []byte(`"`+ThinkingMark)) }

// anthropicBlock holds the members of a content block that the parser interprets.
type anthropicBlock struct {
	kind, id, name, toolUseID, signature jsontext.Value
	sourceKind, sourceData               jsontext.Value
}

var anthropicBlockNames = []string{
	"type", "text", "thinking", "signature", "data", "source", "input", "content", "id", "name", "tool_use_id",
}

// readAnthropicBlock reads a content block and counts it. It returns false if the next value
// is not an object. Blocks inside of it are read, too.
func (p *parser) readAnthropicBlock(b *anthropicBlock) bool {
	if !p.Enter(jsonscan.BeginObject) {
		return false
	}
	for p.NextMember() {
		switch string(p.Name()) {
		case "type":
			b.kind = p.readPlain()
		case "text", "thinking", "title", "context":
			p.countText()
		case "signature":
			b.signature = p.Value()
		case "id":
			b.id = p.Value()
		case "name":
			b.name = p.Value()
			p.counts.textTokens += p.estimateText(stripQuotes(b.name))
		case "tool_use_id":
			b.toolUseID = p.Value()
		case "file_id":
			p.noteFileID(p.Value())
		case "input":
			start := p.markText()
			p.Value()
			p.countSince(start)
		case "source":
			p.readSource(b)
		case "content":
			p.readInnerContent()
		default:
			p.noteCacheMark()
			p.readUnknownMember(anthropicBlockNames)
		}
	}
	if p.Err() == nil {
		p.classifyBlock(b)
	}
	return true
}

// readInnerContent reads the content of a tool result or a document: a string, or an array
// of blocks. The results of Anthropic's own tools can also be objects.
func (p *parser) readInnerContent() {
	switch p.PeekKind() {
	case jsonscan.String:
		p.countText()
	case jsonscan.BeginArray:
		p.Enter(jsonscan.BeginArray)
		for p.NextElement() {
			var b anthropicBlock
			if !p.readAnthropicBlock(&b) {
				p.SetError(p.errInMessage(".content", "must be an array of objects"))
			}
		}
	default:
		p.Value()
	}
}

// classifyBlock counts media, and records the blocks that only Anthropic can read.
func (p *parser) classifyBlock(b *anthropicBlock) {
	switch string(b.kind) {
	case `"text"`, `"tool_use"`, `"tool_result"`, `"search_result"`, `"tool_reference"`, "", "null":
	case `"image"`:
		p.counts.images++
		p.addImageSource(b)
	case `"document"`:
		p.addDocumentSource(b)
	case `"thinking"`:
		p.addSignature(b.signature)
	case `"redacted_thinking"`:
		p.addNativeOnly("signature")
	case `"container_upload"`:
		p.addNativeOnly("file_id")
	default:
		p.addNativeOnly(nativeBlockName(b.kind))
	}
}

// addSignature handles the signature of a thinking block.
func (p *parser) addSignature(v jsontext.Value) {
	switch {
	case !jsonscan.IsString(v) || len(v) == 2:
	case IsOwnThinking(v):
		p.req.HasGatewayState = true
	default:
		p.addNativeOnly("signature")
	}
}

// nativeBlockName returns the name in Request.NativeOnly for a block without a form in other
// protocols: the calls and results of Anthropic's own tools, or an unknown block.
func nativeBlockName(kind jsontext.Value) string {
	if bytes.HasSuffix(kind, []byte(`_tool_result"`)) || bytes.HasSuffix(kind, []byte(`_tool_use"`)) {
		return "server_tool"
	}
	if bytes.HasPrefix(kind, []byte(`"web_search_result`)) || bytes.HasPrefix(kind, []byte(`"web_fetch_result`)) {
		return "server_tool" // inside of web_search_tool_result
	}
	return "content_type"
}

func (p *parser) errInBlock(m *anthropicMessage, member, text string) error {
	return p.errInMessage(".content["+strconv.Itoa(m.blocks)+"]"+member, text)
}
