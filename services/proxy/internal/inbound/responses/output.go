package responses

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// itemKind is a type of output items.
type itemKind int

const (
	reasoningItem itemKind = iota
	messageItem
	functionCallItem
	customCallItem
)

// idPrefixes are the beginnings of item ids, as OpenAI writes them.
var idPrefixes = [...]string{reasoningItem: "rs_", messageItem: "msg_", functionCallItem: "fc_", customCallItem: "ctc_"}

// These are the states of an item.
const (
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
)

// outputItem is one item of the output. Texts are escaped, without quotes. Lists have a
// trailing comma after each element.
type outputItem struct {
	kind itemKind
	id   string
	// index is the position in the output.
	index  int
	status string
	// text is the summary of the reasoning, or the arguments of a call. details are entries
	// of reasoning_details.
	text, details []byte
	// parts is the content of a message.
	parts []messagePart
	// callID is a JSON string. tool is the called tool.
	callID jsontext.Value
	tool   toolKey
}

// messagePart is a part of a message: text or a refusal.
type messagePart struct {
	isRefusal                   bool
	text, annotations, logprobs []byte
	annotationCount             int
}

func newItem(kind itemKind, index int, o inbound.Options) *outputItem {
	return &outputItem{kind: kind, id: idPrefixes[kind] + o.ID + "_" + strconv.Itoa(index), index: index, status: statusCompleted}
}

// appendJSON appends the item with everything that it contains so far.
func (it *outputItem) appendJSON(dst []byte) []byte {
	dst = jsonscan.AppendQuoted(append(dst, `{"id":`...), it.id)
	switch it.kind {
	case reasoningItem:
		return it.appendReasoning(dst)
	case messageItem:
		dst = append(dst, `,"type":"message"`...)
		dst = appendTextMember(dst, "status", it.status)
		dst = append(dst, `,"role":"assistant","content":[`...)
		for i := range it.parts {
			dst = append(it.parts[i].appendJSON(dst), ',')
		}
		return append(bytes.TrimSuffix(dst, []byte{','}), "]}"...)
	case functionCallItem:
		dst = append(dst, `,"type":"function_call"`...)
		dst = it.appendCall(dst)
		dst = appendEscaped(appendName(dst, "arguments"), it.text)
	case customCallItem:
		dst = append(dst, `,"type":"custom_tool_call"`...)
		dst = it.appendCall(dst)
		dst = appendMember(dst, "input", it.customInput())
	}
	return append(dst, '}')
}

func (it *outputItem) appendReasoning(dst []byte) []byte {
	dst = append(dst, `,"type":"reasoning","summary":[`...)
	if len(it.text) > 0 {
		dst = it.appendSummaryPart(dst)
	}
	dst = append(dst, ']')
	if it.status != statusInProgress {
		dst = appendState(appendName(dst, "encrypted_content"), it.details)
	}
	return append(dst, '}')
}

func (it *outputItem) appendSummaryPart(dst []byte) []byte {
	return append(appendEscaped(append(dst, `{"type":"summary_text","text":`...), it.text), '}')
}

func (it *outputItem) appendCall(dst []byte) []byte {
	dst = appendTextMember(dst, "status", it.status)
	dst = appendMember(dst, "call_id", it.callID)
	dst = appendTextMember(dst, "name", it.tool.name)
	if it.tool.namespace != "" {
		dst = appendTextMember(dst, "namespace", it.tool.namespace)
	}
	return dst
}

// customInput returns the input of a custom tool as a JSON string. The model wrote it as the
// only argument of a function. Arguments that are not such an object are the input themselves.
func (it *outputItem) customInput() jsontext.Value {
	quoted := appendEscaped(nil, it.text)
	arguments := jsonscan.DecodeString(quoted)
	if input := jsonscan.Member(arguments, customInput); jsonscan.IsString(input) && jsonscan.Valid(arguments) {
		return jsonscan.AppendQuoted(nil, jsonscan.DecodeString(input))
	}
	return quoted
}

func (p *messagePart) appendJSON(dst []byte) []byte {
	if p.isRefusal {
		return append(appendEscaped(append(dst, `{"type":"refusal","refusal":`...), p.text), '}')
	}
	dst = appendList(append(dst, `{"type":"output_text","annotations":`...), p.annotations)
	dst = appendList(appendName(dst, "logprobs"), p.logprobs)
	return append(appendEscaped(appendName(dst, "text"), p.text), '}')
}

// appendElements appends the elements of an array, each with a trailing comma.
func appendElements(dst []byte, list jsontext.Value) []byte {
	if inner := bytes.TrimSpace(listContent(list)); len(inner) > 0 {
		dst = append(append(dst, inner...), ',')
	}
	return dst
}

func listContent(list jsontext.Value) []byte {
	if !isArray(list) {
		return nil
	}
	return list[1 : len(list)-1]
}

// appendAnnotation appends an annotation of a chat in the format of this protocol, with a
// trailing comma. There, the members of a citation are not nested.
func appendAnnotation(dst []byte, annotation jsontext.Value) []byte {
	citation := jsonscan.Member(annotation, "url_citation")
	if !isObject(citation) {
		return append(append(dst, annotation...), ',')
	}
	var url, title, start, end jsontext.Value
	readFields(citation, nil, field{"url", &url}, field{"title", &title}, field{"start_index", &start}, field{"end_index", &end})
	dst = appendMemberOr(append(dst, `{"type":"url_citation"`...), "start_index", start, "0")
	dst = appendMemberOr(dst, "end_index", end, "0")
	dst = appendMemberOr(dst, "url", url, `""`)
	return append(appendMemberOr(dst, "title", title, `""`), "},"...)
}
