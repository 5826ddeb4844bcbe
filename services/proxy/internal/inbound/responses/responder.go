package responses

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// responder implements inbound.Responder.
type responder struct {
	settings settings
	names    toolNames
}

func newResponder(t *requestTranslator) *responder {
	return &responder{settings: newSettings(&t.fields), names: t.names}
}

// FromChat implements inbound.Responder.
func (p *responder) FromChat(body []byte, o inbound.Options) ([]byte, error) {
	var c chatChunk
	if err := c.parse(body); err != nil {
		return nil, err
	}
	items := p.buildItems(&c, o)
	status, incomplete := finishState(c.finish)
	if status == statusIncomplete && len(items) > 0 {
		items[len(items)-1].status = statusIncomplete
	}
	state := responseState{
		status: status, incomplete: incomplete, serviceTier: c.serviceTier,
		usage: appendUsage(nil, c.usage), output: appendItems(nil, items),
	}
	return p.settings.appendResponse(make([]byte, 0, len(body)+len(p.settings.afterOutput)+1024), o, state), nil
}

// buildItems returns the items of a complete response: reasoning, message, calls.
func (p *responder) buildItems(c *chatChunk, o inbound.Options) (items []*outputItem) {
	add := func(kind itemKind) *outputItem {
		it := newItem(kind, len(items), o)
		items = append(items, it)
		return it
	}
	details := appendDetails(nil, c.details)
	for i := range c.calls {
		details = appendCallEntry(details, c.calls[i].id, c.calls[i].extra)
	}
	if hasText(c.reasoning) || len(details) > 0 {
		it := add(reasoningItem)
		it.text, it.details = escapedText(c.reasoning), details
	}
	if hasText(c.content) || hasText(c.refusal) || len(c.calls)+len(items) == 0 {
		add(messageItem).parts = buildParts(c)
	}
	for i := range c.calls {
		call := &c.calls[i]
		it := add(functionCallItem)
		p.setCall(it, call, o)
		it.text = escapedText(call.arguments)
	}
	return items
}

func buildParts(c *chatChunk) (parts []messagePart) {
	if hasText(c.content) || !hasText(c.refusal) {
		part := messagePart{text: escapedText(c.content), logprobs: appendElements(nil, c.logprobs)}
		for annotation := range jsonscan.Elements(c.annotations) {
			part.annotations = appendAnnotation(part.annotations, annotation)
		}
		parts = append(parts, part)
	}
	if hasText(c.refusal) {
		parts = append(parts, messagePart{isRefusal: true, text: escapedText(c.refusal)})
	}
	return parts
}

// setCall sets the call id and the tool. The client gets its own name of the tool, and a
// custom tool becomes an item of another type.
func (p *responder) setCall(it *outputItem, call *chatCall, o inbound.Options) {
	tool, isCustom := p.names.clientTool(jsonscan.DecodeText(call.name))
	it.tool = tool
	if isCustom {
		*it = outputItem{kind: customCallItem, id: newItem(customCallItem, it.index, o).id, index: it.index, status: it.status, tool: tool}
	}
	it.callID = append(jsontext.Value(nil), call.id...)
	if !hasText(it.callID) {
		it.callID = jsonscan.AppendQuoted(nil, "call_"+it.id)
	}
}

func appendItems(dst []byte, items []*outputItem) []byte {
	for _, it := range items {
		dst = append(it.appendJSON(dst), ',')
	}
	return dst
}

// finishState returns the status of a response and why it is incomplete.
func finishState(finishReason jsontext.Value) (status string, incomplete jsontext.Value) {
	switch jsonscan.DecodeText(finishReason) {
	case "length":
		return statusIncomplete, []byte(`{"reason":"max_output_tokens"}`)
	case "content_filter":
		return statusIncomplete, []byte(`{"reason":"content_filter"}`)
	}
	return statusCompleted, nil
}
