package api

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/redact"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// storableMessage returns the error text for the record. The text may quote the request or
// a provider. It is stored unchanged if capture is full, and redacted if capture is redacted.
// If capture is none, the record has a text only if no provider was called: the proxy wrote
// that text itself, and its quotations are removed. Messages about limits quote nothing. They
// are always stored, because the owner of a key must see which limit to raise.
func (e *edge) storableMessage(x *exchange, err *apperr.Error) string {
	_, limited := rejectingLimit(err)
	switch {
	case limited || x.capture == keys.CaptureFull:
		return err.Message
	case x.capture == keys.CaptureNone && len(x.record.Attempts) == 0:
		return e.removeQuotations(x, err)
	}
	return e.redactText(x, err.Message)
}

// quotedJSON matches a part of a body that is not valid JSON.
var quotedJSON = regexp.MustCompile("`[^`]*`")

// removeQuotations returns the text of a rejection without text of the client: a model name
// that the policy does not contain, and a part of the body. The names of the API's own
// fields, single characters and numbers stay.
func (e *edge) removeQuotations(x *exchange, err *apperr.Error) string {
	if name, ok := err.Details["requested_model"].(string); ok && !e.isKnownModel(x, name) {
		return "the requested model or route does not exist, or this key may not use it"
	}
	return quotedJSON.ReplaceAllLiteralString(err.Message, "...")
}

func (e *edge) isKnownModel(x *exchange, name string) bool {
	p := e.policyOf(x)
	if p == nil {
		return false
	}
	_, isChat := p.Route(name, catalog.Chat)
	_, isEmbeddings := p.Route(name, catalog.Embeddings)
	base, effort := policy.SplitEffort(name)
	m, isModel := p.Model(base)
	return isChat || isEmbeddings || isModel && (effort == "" || m.TakesEffort(effort))
}

// storableModel returns the requested model name for the record of a request without a
// plan. A name that is neither a route nor a model id can be any text, so it is redacted
// or left out.
func (e *edge) storableModel(x *exchange, req *requestbody.Request) string {
	if e.isKnownModel(x, req.Model) {
		return req.Model
	}
	return e.redactText(x, req.Model)
}

// storableQuestion returns the question for the record. Unless capture is full, it contains
// hashes instead of the values of the metadata. Only values that a rule of the policy names stay
// readable, so that a replay with this policy makes the same decision.
func (e *edge) storableQuestion(x *exchange, q decide.Question) decide.Question {
	if x.capture == keys.CaptureFull || q.Metadata == nil {
		return q
	}
	p := e.policyOf(x)
	if p == nil {
		q.Metadata = nil // there is no decision that it could affect
		return q
	}
	stored := make(map[string]string, len(q.Metadata))
	for name, v := range q.Metadata {
		switch {
		case p.UsesMetadata(name, v):
			stored[name] = v
		case e.isStorableName(x, name):
			stored[name] = session.Hash(q.Caller.AccountID, v)
		}
	}
	q.Metadata = stored
	return q
}

// isStorableName reports whether the name of a metadata field may be stored if no text may be
// stored. Clients choose the names freely.
func (e *edge) isStorableName(x *exchange, name string) bool {
	redactor := e.redactor(x)
	return redactor != nil && looksLikeName(name) && redactor.RedactText(name) == name
}

// maxIDLength is the maximum length of a stored id in bytes.
const maxIDLength = 128

// storableID returns the storable form of an id that a client or provider chose. Such an
// id can be any text. With capture none, it is stored only if it looks like an id.
func (e *edge) storableID(x *exchange, id string) string {
	if id != "" && x.capture != keys.CaptureFull {
		redactor := e.redactor(x)
		if redactor == nil {
			return ""
		}
		clean := redactor.RedactText(id)
		if x.capture == keys.CaptureNone && (clean != id || !looksLikeID(id)) {
			return ""
		}
		id = clean
	}
	return truncate(strings.Map(dropUnprintable, id), maxIDLength)
}

func looksLikeID(id string) bool { return len(id) <= maxIDLength && hasOnly(id, "._:-") }

// looksLikeName reports whether a text looks like the name of a field.
func looksLikeName(name string) bool { return hasOnly(name, "._:-/") }

// hasOnly reports whether a text has only letters and digits of ASCII, and the given signs.
func hasOnly(text, signs string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && strings.IndexByte(signs, c) < 0 {
			return false
		}
	}
	return true
}

// dropUnprintable removes characters that are not printable, because terminals may interpret
// some of them.
func dropUnprintable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// redactText returns the redacted text, or "" if no text may be stored.
func (e *edge) redactText(x *exchange, text string) string {
	if redactor := e.redactor(x); redactor != nil && x.capture != keys.CaptureNone {
		return redactor.RedactText(text)
	}
	return ""
}

// policyOf returns the policy of a request. Before the decision it is the policy that was chosen
// to decide, and before that the active one. During a rollout they can differ.
func (e *edge) policyOf(x *exchange) *policy.Policy {
	switch {
	case x.policy != nil:
		return x.policy
	case x.chosen != nil:
		return x.chosen
	}
	return e.Router.Policy()
}

// redactor returns the redactor of the request's policy. It returns nil if the patterns are invalid; then no content is stored.
func (e *edge) redactor(x *exchange) *redact.Redactor {
	redactor, err := e.redactors.For(e.policyOf(x))
	if err != nil {
		e.Log.Error("redaction patterns of the policy are invalid: content not stored", "request_id", x.requestID, "error", err)
	}
	return redactor
}
