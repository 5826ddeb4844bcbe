package gemini

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// relayedEvent is one parsed event or complete response of Google's API.
type relayedEvent struct {
	jsonscan.Reader
	candidates []eventCandidate
	usage      usagereport.Google
	// modelFrom and modelTo locate the value of modelVersion. Both are 0 if it is absent.
	modelFrom, modelTo int
	textBytes          int
	searchCount        int64

	hasUsage, hasContent, hasCandidates, isBlocked, isError bool
}

type eventCandidate struct {
	index    int
	finished bool
}

// parse reads an event. It fails with the error that the event reports, or with
// PROVIDER_INVALID_RESPONSE.
func (e *relayedEvent) parse(payload []byte) error {
	*e = relayedEvent{Reader: e.Reader, candidates: e.candidates[:0]}
	payload = unwrapArray(payload)
	e.ResetLimited(payload, true)
	if !e.Enter(jsonscan.BeginObject) {
		e.SetError(upstreamerror.InvalidResponse("not a JSON object"))
	}
	for e.NextMember() {
		e.readMember()
	}
	if err := e.CheckEnd(); err != nil {
		return toResponseError(err)
	}
	if e.isError {
		return upstreamerror.ParseInBand(payload)
	}
	return nil
}

// toResponseError returns the error for an event that could not be parsed.
func toResponseError(err error) error {
	var known *apperr.Error
	if errors.As(err, &known) {
		return known
	}
	return upstreamerror.InvalidResponse("not valid JSON").WithCause(err)
}

func (e *relayedEvent) readMember() {
	switch string(e.Name()) {
	case "candidates":
		e.readCandidates()
	case "usageMetadata":
		if c, ok := usagereport.ParseGoogle(e.Value()); ok {
			e.usage, e.hasUsage = c, true
		}
	case "promptFeedback":
		reason := jsonscan.Member(e.Value(), "blockReason")
		e.isBlocked = !lacksText(reason) && string(reason) != `"BLOCK_REASON_UNSPECIFIED"`
	case "modelVersion":
		v := e.Value()
		e.modelFrom, e.modelTo = e.Offset()-len(v), e.Offset()
	case "error":
		e.isError = !jsonscan.IsEmptyOrFalse(e.Value())
	default:
		e.Value()
	}
}

func (e *relayedEvent) readCandidates() {
	if !e.Enter(jsonscan.BeginArray) {
		e.Value()
		return
	}
	for e.NextElement() {
		if !e.Enter(jsonscan.BeginObject) {
			e.Value()
			continue
		}
		e.hasCandidates = true
		if c := e.readCandidate(); c.index >= 0 && c.index < maxChoices {
			e.candidates = append(e.candidates, c)
		}
	}
}

func (e *relayedEvent) readCandidate() (c eventCandidate) {
	for e.NextMember() {
		switch string(e.Name()) {
		case "index":
			n, _ := jsonscan.ParseInteger(e.Value())
			c.index = int(n)
		case "finishReason":
			v := e.Value()
			c.finished = !lacksText(v) && string(v) != `"FINISH_REASON_UNSPECIFIED"`
		case "content":
			e.readContent()
		case "groundingMetadata":
			e.searchCount = max(e.searchCount, usagereport.CountSearches(e.Value()))
		default:
			e.Value()
		}
	}
	return c
}

func (e *relayedEvent) readContent() {
	if !e.Enter(jsonscan.BeginObject) {
		e.Value()
		return
	}
	for e.NextMember() {
		if string(e.Name()) != "parts" || !e.Enter(jsonscan.BeginArray) {
			e.Value()
			continue
		}
		for e.NextElement() {
			e.readPart()
		}
	}
}

// readPart counts the output of a part: its text, or the JSON of a function call. Other data
// count as content, but not as text.
func (e *relayedEvent) readPart() {
	if !e.Enter(jsonscan.BeginObject) {
		e.Value()
		return
	}
	for e.NextMember() {
		name := string(e.Name())
		v := e.Value()
		switch name {
		case "text":
			e.addText(jsonscan.DecodedLen(v))
		case "functionCall":
			e.addText(len(jsonscan.Member(v, "args")) + len(jsonscan.Member(v, "partialArgs")))
			e.hasContent = true
		case "thought", "thoughtSignature":
		default:
			e.hasContent = e.hasContent || !jsonscan.IsEmptyOrFalse(v)
		}
	}
}

func (e *relayedEvent) addText(n int) {
	e.textBytes += n
	e.hasContent = e.hasContent || n > 0
}

// appendWithModel appends the text of the event with the given model as modelVersion. All
// other bytes stay unchanged.
func (e *relayedEvent) appendWithModel(dst, text []byte, model string) []byte {
	if e.modelTo == 0 {
		return append(dst, text...)
	}
	dst = append(dst, text[:e.modelFrom]...)
	dst = jsonscan.AppendQuoted(dst, model)
	return append(dst, text[e.modelTo:]...)
}

// response returns the values that the event reports.
func (e *relayedEvent) response() normalize.Response {
	if !e.hasUsage {
		return normalize.Response{}
	}
	return usageResponse(&e.usage, e.textBytes, e.searchCount)
}
