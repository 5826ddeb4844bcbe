package responses

import (
	"github.com/go-json-experiment/json/jsontext"
)

// openItem makes sure that an item of this kind is open.
func (s *stream) openItem(dst []byte, kind itemKind) []byte {
	if s.open != nil && s.open.kind == kind {
		return dst
	}
	dst = s.closeOpenItem(dst)
	s.open = newItem(kind, len(s.items), s.options)
	s.open.status = statusInProgress
	s.items = append(s.items, s.open)
	return s.appendItemEvent(dst, "response.output_item.added", s.open)
}

// closeOpenItem closes the open reasoning or message item, if any.
func (s *stream) closeOpenItem(dst []byte) []byte {
	it := s.open
	if it == nil {
		return dst
	}
	if it.kind == messageItem {
		dst = s.closePart(dst)
	} else if len(it.text) > 0 {
		dst = s.beginItemEvent(dst, "response.reasoning_summary_text.done", it)
		dst = endEvent(appendEscaped(append(dst, `,"summary_index":0,"text":`...), it.text))
		dst = s.beginItemEvent(dst, "response.reasoning_summary_part.done", it)
		dst = endEvent(it.appendSummaryPart(append(dst, `,"summary_index":0,"part":`...)))
	}
	s.open = nil
	return s.appendItemDone(dst, it)
}

func (s *stream) appendSummaryPartAdded(dst []byte) []byte {
	dst = s.beginItemEvent(dst, "response.reasoning_summary_part.added", s.open)
	return endEvent(append(dst, `,"summary_index":0,"part":{"type":"summary_text","text":""}`...))
}

func (s *stream) appendItemDone(dst []byte, it *outputItem) []byte {
	if it.status == statusInProgress {
		it.status = statusCompleted
	}
	return s.appendItemEvent(dst, "response.output_item.done", it)
}

// hasOpenText reports whether the open part is a text.
func (s *stream) hasOpenText() bool {
	part := s.openedPart()
	return part != nil && !part.isRefusal
}

// openedPart returns the open part of the open message, or nil.
func (s *stream) openedPart() *messagePart {
	if s.open == nil || len(s.open.parts) == 0 {
		return nil
	}
	return &s.open.parts[len(s.open.parts)-1]
}

// openPart makes sure that a part of this kind is open, in a message.
func (s *stream) openPart(dst []byte, isRefusal bool) ([]byte, *messagePart) {
	dst = s.openItem(dst, messageItem)
	if part := s.openedPart(); part != nil && part.isRefusal == isRefusal {
		return dst, part
	}
	dst = s.closePart(dst)
	s.open.parts = append(s.open.parts, messagePart{isRefusal: isRefusal})
	part := s.openedPart()
	dst = s.beginPartEvent(dst, "response.content_part.added")
	return endEvent(part.appendJSON(appendName(dst, "part"))), part
}

func (s *stream) closePart(dst []byte) []byte {
	part := s.openedPart()
	if part == nil {
		return dst
	}
	if part.isRefusal {
		dst = s.beginPartEvent(dst, "response.refusal.done")
		dst = endEvent(appendEscaped(appendName(dst, "refusal"), part.text))
	} else {
		dst = s.beginPartEvent(dst, "response.output_text.done")
		dst = appendEscaped(appendName(dst, "text"), part.text)
		dst = endEvent(appendList(appendName(dst, "logprobs"), part.logprobs))
	}
	dst = s.beginPartEvent(dst, "response.content_part.done")
	return endEvent(part.appendJSON(appendName(dst, "part")))
}

func (s *stream) appendAnnotationEvent(dst []byte, annotation jsontext.Value) []byte {
	dst, part := s.openPart(dst, false)
	index := int64(part.annotationCount)
	part.annotationCount++
	start := len(part.annotations)
	part.annotations = appendAnnotation(part.annotations, annotation)
	flat := part.annotations[start : len(part.annotations)-1]
	dst = s.beginPartEvent(dst, "response.output_text.annotation.added")
	dst = appendNumberMember(dst, "annotation_index", index)
	return endEvent(appendMember(dst, "annotation", flat))
}

func (s *stream) closeCall(dst []byte, it *outputItem) []byte {
	if it.kind == functionCallItem {
		dst = s.beginItemEvent(dst, "response.function_call_arguments.done", it)
		dst = appendTextMember(dst, "name", it.tool.name)
		dst = endEvent(appendEscaped(appendName(dst, "arguments"), it.text))
		return s.appendItemDone(dst, it)
	}
	input := it.customInput()
	dst = s.beginItemEvent(dst, "response.custom_tool_call_input.delta", it)
	dst = endEvent(appendMember(dst, "delta", input))
	dst = s.beginItemEvent(dst, "response.custom_tool_call_input.done", it)
	dst = endEvent(appendMember(dst, "input", input))
	return s.appendItemDone(dst, it)
}
