package requestbody

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

func (q *responsesParser) readInstructions() {
	v, n := q.readMeasured()
	if q.Err() != nil || jsonscan.IsNull(v) {
		return
	}
	if !jsonscan.IsString(v) {
		q.SetError(errInvalidParam("instructions", "must be a string"))
		return
	}
	q.counts.messages++
	q.req.Traits |= HasSystem
	q.countText(v, n)
}

func (q *responsesParser) countText(v jsontext.Value, n int) {
	q.counts.textBytes += n - 2
	q.counts.textTokens += q.estimateText(stripQuotes(v))
}

// readResponsesInput reads a string, which is one user message, or an array of items.
func (q *responsesParser) readResponsesInput() {
	switch q.PeekKind() {
	case jsonscan.String:
		q.hasPayload = true
		v, n := q.readMeasured()
		q.countText(v, n)
		q.counts.messages++
		at := q.lastValueSpan(v)
		q.req.opening.from = at.from
		q.addUserMessage(at, n-2)
	case jsonscan.BeginArray:
		q.hasPayload = true
		q.Enter(jsonscan.BeginArray)
		q.req.opening.from = q.Offset()
		for ; q.NextElement(); q.items++ {
			q.readItem()
		}
		if q.items == 0 {
			q.SetError(errInvalidParam("input", "must not be empty"))
		}
	case jsonscan.Null:
		q.Value()
	default:
		q.SetError(errInvalidParam("input", "must be a string or an array of items"))
	}
}

func (q *responsesParser) addUserMessage(content span, textBytes int) {
	q.req.EndsWithToolResult = false
	q.counts.turns++
	q.counts.userBytes += textBytes
	q.req.lastUserContent = content
	if q.counts.turns == 1 {
		q.req.opening.to = content.to
	}
}

// responsesItem holds the values of an item that decide what it is. Members can come in any
// order, so an item is checked after all of them were read.
type responsesItem struct {
	at                                      span
	kind, role, id, callID, name, encrypted jsontext.Value
	arguments, input                        jsontext.Value
	content, output, summary                responsesContent
}

var itemMemberNames = []string{
	"type", "role", "id", "content", "call_id", "name", "namespace", "arguments", "input", "output", "summary", "encrypted_content",
}

func (q *responsesParser) readItem() {
	if !q.Enter(jsonscan.BeginObject) {
		q.failItem("", "must be an object")
		return
	}
	item := responsesItem{at: span{from: q.Offset() - 1}}
	textBytes := q.counts.textBytes
	for q.NextMember() {
		q.readItemMember(&item)
	}
	if item.at.to = q.Offset(); q.Err() == nil {
		q.checkItem(&item, q.counts.textBytes-textBytes)
	}
}

func (q *responsesParser) readItemMember(item *responsesItem) {
	switch string(q.Name()) {
	case "type":
		item.kind = q.Value()
	case "role":
		item.role = q.Value()
	case "id":
		item.id = q.Value()
	case "call_id":
		item.callID = q.Value()
	case "content":
		item.content = q.readResponsesContent("content")
	case "output":
		item.output = q.readResponsesContent("output")
	case "summary":
		item.summary = q.readResponsesContent("summary")
	case "name":
		item.name = q.readCountedValue()
	case "arguments":
		item.arguments = q.readCountedValue()
	case "input":
		item.input = q.readCountedValue()
	case "encrypted_content":
		item.encrypted = q.readCountedValue()
	case "status":
		q.Value()
	default:
		overhead := q.EscapeOverhead()
		v := q.readUnknownMember(itemMemberNames)
		q.counts.textBytes += len(v) - (q.EscapeOverhead() - overhead)
		q.counts.textTokens += q.estimateText(v)
	}
}

// readCountedValue reads a value that the model reads as text.
func (q *responsesParser) readCountedValue() jsontext.Value {
	v, n := q.readMeasured()
	if jsonscan.IsString(v) {
		q.countText(v, n)
	}
	return v
}
