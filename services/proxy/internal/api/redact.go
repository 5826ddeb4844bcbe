package api

import (
	"maps"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/redact"
)

// message is what may be kept of an error's text, which may quote the request,
// or a provider that quotes it. Limits have words of their own alone, which
// tell whoever looks after a key what to raise.
func (e *edge) message(x *exchange, err *apperr.Error) string {
	if _, limited := refusing(err); limited || x.capture == keys.CaptureFull {
		return err.Message
	}
	return e.words(x, err.Message)
}

// asked is the name of the model as it may be kept when no plan was made for
// it. One that the policy does not know can be any text.
func (e *edge) asked(x *exchange, req *openai.Request) string {
	p := e.Router.Policy()
	if p == nil {
		return e.words(x, req.Model)
	}
	_, isRoute := p.Route(req.Model, req.Kind)
	_, isModel := p.Model(req.Model)
	if isRoute || isModel {
		return req.Model
	}
	return e.words(x, req.Model)
}

// recorded is the question as it is kept. Where text is not, of the client's own
// words only those remain that the policy itself has: any other one has the
// same effect as none.
func (e *edge) recorded(x *exchange, q decide.Question) decide.Question {
	p := e.Router.Policy()
	if x.capture == keys.CaptureFull || q.Metadata == nil || p == nil {
		return q
	}
	q.Metadata = maps.Clone(q.Metadata)
	maps.DeleteFunc(q.Metadata, func(name, v string) bool { return !p.Mentions(name, v) })
	return q
}

// longestLabel is more than any id has.
const longestLabel = 128

// label is what may be kept of an id that a client or a provider chose, which
// can be any text. Where no text is kept it must look like nothing but an id.
func (e *edge) label(x *exchange, id string) string {
	if id != "" && x.capture != keys.CaptureFull {
		redactor := e.redactor(x)
		if redactor == nil {
			return ""
		}
		clean := redactor.Text(id)
		if x.capture == keys.CaptureNone && (clean != id || !isLabel(id)) {
			return ""
		}
		id = clean
	}
	return cut(strings.Map(printable, id), longestLabel)
}

func isLabel(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && strings.IndexByte("._:-", c) < 0 {
			return false
		}
	}
	return len(id) <= longestLabel
}

// printable leaves out what only a terminal would take for something.
func printable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// words is a text without what must not be kept.
func (e *edge) words(x *exchange, text string) string {
	if redactor := e.redactor(x); redactor != nil && x.capture != keys.CaptureNone {
		return redactor.Text(text)
	}
	return ""
}

// redactor is that of the policy the request was decided under, else of the
// active one. It is nil if there is none: then nothing is kept.
func (e *edge) redactor(x *exchange) *redact.Redactor {
	p := x.policy
	if p == nil {
		p = e.Router.Policy()
	}
	redactor, err := e.redactors.of(p)
	if err != nil {
		e.Log.Error("the patterns of the policy cannot be used; no content is kept", "request_id", x.name, "error", err)
	}
	return redactor
}

// redactors has the redactor that was used last: it takes long to make one, and
// the policy seldom changes.
type redactors struct{ last atomic.Pointer[redaction] }

type redaction struct {
	policy   string
	redactor *redact.Redactor
}

func (rs *redactors) of(p *policy.Policy) (*redact.Redactor, error) {
	var version string
	var patterns []redact.Pattern
	if p != nil {
		version = p.Version()
	}
	if r := rs.last.Load(); r != nil && r.policy == version {
		return r.redactor, nil
	}
	if p != nil {
		for _, pattern := range p.Defaults.Logging.Redact {
			patterns = append(patterns, redact.Pattern(pattern))
		}
	}
	redactor, err := redact.New(patterns)
	if err != nil {
		return nil, err
	}
	rs.last.Store(&redaction{policy: version, redactor: redactor})
	return redactor, nil
}
