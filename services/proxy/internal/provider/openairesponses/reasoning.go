package openairesponses

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// reasoningFormat marks the entries of reasoning_details that contain the reasoning of the
// Responses API. It is the value of their member "format". Other gateways use the same value.
const reasoningFormat = "openai-responses-v1"

// reasoningDetail is an entry of reasoning_details, as raw JSON. Entries with the same id belong
// to one reasoning item.
type reasoningDetail struct {
	kind, format, id, index, summary, data []byte
}

func parseDetail(raw []byte) (d reasoningDetail) {
	readObject(raw, nil, field{"type", &d.kind}, field{"format", &d.format}, field{"id", &d.id},
		field{"index", &d.index}, field{"summary", &d.summary}, field{"data", &d.data})
	return d
}

// reasoningItem collects the entries of one reasoning item.
type reasoningItem struct {
	id, index, data []byte
	// summary has a trailing comma after each part.
	summary []byte
}

// contains reports whether an entry belongs to the item.
func (r *reasoningItem) contains(d *reasoningDetail) bool {
	return string(r.id) == string(d.id) && string(r.index) == string(d.index)
}

// replayReasoning adds the reasoning that the client sent back with a message. The upstream
// accepts only reasoning that it encrypted itself, so any other reasoning is omitted. If all
// reasoning is omitted, reasoning_details or reasoning_content is reported as dropped.
func (t *requestTranslator) replayReasoning(m *message) {
	before := len(t.input)
	if !t.omitReasoning {
		t.replayDetails(m.details)
	}
	switch {
	case len(t.input) > before:
		t.hasReasoning = true
	case !isEmpty(m.details):
		t.reportDropped("messages[].reasoning_details")
	case !isEmpty(m.reasoning):
		t.reportDropped("messages[].reasoning_content")
	}
}

func (t *requestTranslator) replayDetails(details []byte) {
	var item reasoningItem
	for raw := range jsonscan.Elements(details) {
		d := parseDetail(raw)
		if stringValue(d.format) != reasoningFormat {
			continue
		}
		if !item.contains(&d) {
			t.addReasoningItem(&item)
			item = reasoningItem{id: d.id, index: d.index}
		}
		switch stringValue(d.kind) {
		case "reasoning.summary":
			item.summary = appendSummaryPart(item.summary, d.summary)
		case "reasoning.encrypted":
			item.data = d.data
		}
	}
	t.addReasoningItem(&item)
}

func appendSummaryPart(dst, text []byte) []byte {
	if !hasText(text) {
		return dst
	}
	return closeWith(appendMember(append(dst, `{"type":"summary_text",`...), "text", text), "},")
}

// addReasoningItem adds the item if the upstream can decrypt it.
func (t *requestTranslator) addReasoningItem(item *reasoningItem) {
	if !hasText(item.data) {
		return
	}
	t.input = appendMember(append(t.input, `{"type":"reasoning",`...), "id", item.id)
	t.input = closeWith(append(append(t.input, `"summary":[`...), item.summary...), "],")
	t.input = closeWith(appendMember(t.input, "encrypted_content", item.data), "},")
}

// appendDetails appends the entries for a reasoning item of a response, each with a trailing
// comma. index is the position of the item among the reasoning items. An item without encrypted
// content has no entries, because the upstream does not accept it back.
func appendDetails(dst []byte, item *outputItem, index int) []byte {
	if !hasText(item.encrypted) {
		return dst
	}
	for part := range jsonscan.Elements(item.summary) {
		if text := jsonscan.Member(part, "text"); hasText(text) {
			dst = appendMember(append(dst, `{"type":"reasoning.summary",`...), "summary", text)
			dst = appendDetailEnd(dst, item.id, index)
		}
	}
	dst = appendMember(append(dst, `{"type":"reasoning.encrypted",`...), "data", item.encrypted)
	return appendDetailEnd(dst, item.id, index)
}

func appendDetailEnd(dst, id []byte, index int) []byte {
	dst = appendMember(dst, "id", id)
	dst = append(dst, `"format":"`+reasoningFormat+`",`...)
	return closeWith(appendNumber(dst, "index", index), "},")
}
