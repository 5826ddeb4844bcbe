package messages

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// block is a content block of the client, as raw JSON.
type block struct {
	kind, text, thinking, signature, cache []byte
	id, name, input, toolUseID, isError    []byte
	content, source, title, context, tool  []byte
}

// parseBlock reads a block and reports the members that a chat cannot carry.
func (t *requestTranslator) parseBlock(raw []byte) (b block) {
	for name, v := range jsonscan.Members(raw) {
		switch dst := b.lookup(string(name)); {
		case jsonscan.IsNull(v):
		case dst != nil:
			*dst = v
		case !isEmpty(v):
			t.reportDropped("messages[].content[]." + string(name))
		}
	}
	return b
}

func (b *block) lookup(name string) *[]byte {
	switch name {
	case "type":
		return &b.kind
	case "text":
		return &b.text
	case "thinking":
		return &b.thinking
	case "signature":
		return &b.signature
	case "cache_control":
		return &b.cache
	case "id":
		return &b.id
	case "name":
		return &b.name
	case "input":
		return &b.input
	}
	return b.lookupOther(name)
}

func (b *block) lookupOther(name string) *[]byte {
	switch name {
	case "tool_use_id":
		return &b.toolUseID
	case "is_error":
		return &b.isError
	case "content":
		return &b.content
	case "source":
		return &b.source
	case "title":
		return &b.title
	case "context":
		return &b.context
	case "tool_name":
		return &b.tool
	}
	return nil
}

// addBlock adds a block as parts of a chat message.
func (t *requestTranslator) addBlock(to *contentBuilder, b *block) {
	switch stringValue(b.kind) {
	case "text":
		to.addText(b.text, b.cache)
	case "image":
		t.addImage(to, b)
	case "document":
		t.addDocument(to, b)
	case "search_result":
		t.addSearchResult(to, b)
	case "tool_reference":
		to.addText(b.tool, b.cache)
	default:
		t.setError(unsupportedError("messages["+strconv.Itoa(t.index)+"].content",
			"blocks of type "+stringValue(b.kind)+" can be served only by providers of the Messages API"))
	}
}
