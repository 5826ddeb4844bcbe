package requestbody

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// parseBoolOr reads a boolean. Null means the default.
func (q *responsesParser) parseBoolOr(name string, byDefault bool) bool {
	v := q.Value()
	if jsonscan.IsNull(v) {
		return byDefault
	}
	return q.parseBool(name, v)
}

// readKind reads a member and checks only the kind of its value. Null is always allowed.
func (q *responsesParser) readKind(name string, kind jsonscan.Kind, text string) {
	if v := q.Value(); q.Err() == nil && !jsonscan.IsNull(v) && v[0] != byte(kind) {
		q.SetError(errInvalidParam(name, text))
	}
}

// readStringMember reads null or a string with a maximum length in bytes.
func (q *responsesParser) readStringMember(name string, maxLength int) []byte {
	v := q.Value()
	switch {
	case q.Err() != nil || jsonscan.IsNull(v):
	case !jsonscan.IsString(v):
		q.SetError(errInvalidParam(name, "must be a string"))
	case len(v) > maxLength:
		q.SetError(errInvalidParam(name, "is too long"))
	}
	return v
}

// maxTopLogprobs is the OpenAI limit.
const maxTopLogprobs = 20

func (q *responsesParser) readTopLogprobs() {
	n, _ := q.readInteger(q.Name(), 0)
	if n > maxTopLogprobs {
		q.SetError(errInvalidParam("top_logprobs", "must be at most "+strconv.Itoa(maxTopLogprobs)))
	}
	q.counts.logprobs = n > 0
}

// readTextOptions reads "text", which contains the response format.
func (q *responsesParser) readTextOptions() {
	if q.skipNull() {
		return
	}
	if !q.Enter(jsonscan.BeginObject) {
		q.SetError(errInvalidParam("text", "must be an object"))
		return
	}
	for q.NextMember() {
		if string(q.Name()) == "format" {
			q.readTextFormat()
			continue
		}
		q.readUnknownMember([]string{"format", "verbosity"})
	}
}

func (q *responsesParser) readTextFormat() {
	if q.skipNull() {
		return
	}
	start := q.markText()
	if !q.Enter(jsonscan.BeginObject) {
		q.SetError(errInvalidParam("text.format", "must be an object"))
		return
	}
	for q.NextMember() {
		if string(q.Name()) != "type" {
			q.readUnknownMember([]string{"type"})
			continue
		}
		v := q.Value()
		if q.Err() == nil && !jsonscan.IsString(v) {
			q.SetError(errInvalidParam("text.format.type", "must be a string"))
		}
		q.counts.responseFormat = jsonscan.DecodeText(v)
	}
	if q.counts.responseFormat != "text" {
		q.countSince(start)
	}
}
