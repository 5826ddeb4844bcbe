package responses

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// beginEvent appends the start of an event with the next sequence number. The caller appends
// members with a leading comma, and then calls endEvent.
func (s *stream) beginEvent(dst []byte, name string) []byte {
	dst = beginEvent(dst, name, s.sequence)
	s.sequence++
	return dst
}

func beginEvent(dst []byte, name string, sequence int64) []byte {
	dst = append(append(dst, "event: "...), name...)
	dst = append(dst, "\ndata: {\"type\":\""...)
	dst = append(append(dst, name...), '"')
	return appendNumberMember(dst, "sequence_number", sequence)
}

func endEvent(dst []byte) []byte { return append(dst, "}\n\n"...) }

// beginItemEvent appends the start of an event about an item.
func (s *stream) beginItemEvent(dst []byte, name string, it *outputItem) []byte {
	dst = appendTextMember(s.beginEvent(dst, name), "item_id", it.id)
	return appendNumberMember(dst, "output_index", int64(it.index))
}

// beginPartEvent appends the start of an event about the last part of the open message.
func (s *stream) beginPartEvent(dst []byte, name string) []byte {
	dst = s.beginItemEvent(dst, name, s.open)
	return appendNumberMember(dst, "content_index", int64(len(s.open.parts)-1))
}

// appendItemEvent appends an event that contains an item.
func (s *stream) appendItemEvent(dst []byte, name string, it *outputItem) []byte {
	dst = appendNumberMember(s.beginEvent(dst, name), "output_index", int64(it.index))
	return endEvent(it.appendJSON(appendName(dst, "item")))
}

// appendResponseEvent appends an event that contains the response.
func (s *stream) appendResponseEvent(dst []byte, name string, state responseState) []byte {
	dst = appendName(s.beginEvent(dst, name), "response")
	return endEvent(s.responder.settings.appendResponse(dst, s.options, state))
}

// AppendError implements inbound.Stream.
func (s *stream) AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	if !s.started {
		return appendErrorEvent(dst, s.sequence, e, o)
	}
	dst = appendName(s.beginEvent(dst, "response.failed"), "response")
	dst = s.responder.settings.appendResponse(dst, s.options, responseState{status: "failed", failure: failureObject(e), usage: s.usage})
	return endEvent(appendCodeAndDetails(dst, e, o))
}

// appendErrorEvent appends the event for an error before the response has started. It
// contains the members of the error response, and repeats those that clients look for at the
// top level.
func appendErrorEvent(dst []byte, sequence int64, e *apperr.Error, o apperr.Options) []byte {
	o.Format = apperr.Responses
	body := e.Body(o)
	failure := jsonscan.Member(body, "error")
	dst = beginEvent(dst, "error", sequence)
	dst = appendMember(dst, "message", jsonscan.Member(failure, "message"))
	dst = appendMember(dst, "param", jsonscan.Member(failure, "param"))
	dst = append(append(dst, ','), body[1:len(body)-1]...)
	return endEvent(dst)
}

// appendCodeAndDetails appends the top-level members that every error of the gateway has.
func appendCodeAndDetails(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	o.Format = apperr.Responses
	body := e.Body(o)
	dst = appendMember(dst, "code", jsonscan.Member(body, "code"))
	return appendMember(dst, "details", jsonscan.Member(body, "details"))
}

// failureObject returns the error of a failed response. Its code is one of OpenAI's, because
// clients decide by it whether they retry.
func failureObject(e *apperr.Error) []byte {
	body := e.Body(apperr.Options{Format: apperr.Responses})
	object := jsonscan.AppendQuoted([]byte(`{"code":`), failureCode(e))
	return append(appendMember(object, "message", jsonscan.Member(body, "error", "message")), '}')
}

func failureCode(e *apperr.Error) string {
	switch e.Code {
	case apperr.ContextLengthExceeded:
		return "context_length_exceeded"
	case apperr.BudgetExceeded, apperr.ProviderQuotaExhausted:
		return "insufficient_quota"
	case apperr.RateLimitExceeded, apperr.ConcurrencyLimitExceeded, apperr.ProviderRateLimited:
		return "rate_limit_exceeded"
	case apperr.ProviderOverloaded, apperr.GatewayOverloaded:
		return "server_is_overloaded"
	case apperr.InvalidRequest, apperr.UnsupportedParameter, apperr.ProviderBadRequest, apperr.ContentFiltered:
		return "invalid_prompt"
	}
	return "server_error"
}
