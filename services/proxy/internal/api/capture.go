package api

import (
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/redact"
)

// lookAhead is how many times what is kept is held of a stream that is to be
// redacted: it can only be looked at when it is over, and nothing of it may
// have been cut by then.
const lookAhead = 16

// mayKeep is what may be kept of the content: what the key's settings say, or
// less if the request asks for that.
func mayKeep(p *keys.Principal, h http.Header) keys.Capture {
	capture := p.Capture
	for _, wish := range h["X-Signalbox-Capture"] {
		capture = max(capture, wished(wish))
	}
	return capture
}

// wished is what a request wants to be kept. A word that we do not know can
// only have been meant to keep less.
func wished(word string) keys.Capture {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "", "full":
		return keys.CaptureFull
	case "redacted":
		return keys.CaptureRedacted
	}
	return keys.CaptureNone
}

// captureLimit is how much content may be kept, and held how much a stream's
// transcript needs for that.
func (e *edge) captureLimit(x *exchange) (limit, held int) {
	switch x.capture {
	case keys.CaptureNone:
		return 0, 0
	case keys.CaptureRedacted:
		return e.CaptureLimit, lookAhead * e.CaptureLimit
	}
	return e.CaptureLimit, e.CaptureLimit
}

// keep puts content into the record, as far as that is allowed, and takes out
// of it what the providers' ids may say.
func (e *edge) keep(x *exchange, req *openai.Request, res dispatch.Result, limit int) {
	for i := range x.record.Attempts {
		a := &x.record.Attempts[i]
		a.UpstreamID = e.label(x, a.UpstreamID)
	}
	if limit == 0 {
		return
	}
	r, answer, length := x.record, res.Answer.Body, int64(len(res.Answer.Body))
	if req.Stream && res.Committed {
		answer, length = x.transcript.Answer()
	}
	if x.capture == keys.CaptureFull {
		r.Request, r.RequestLen = cutBytes(req.Body, limit), int64(len(req.Body))
		r.Response, r.ResponseLen = cutBytes(answer, limit), length
		return
	}
	if redactor := e.redactor(x); redactor != nil {
		r.Capture = ledger.CaptureRedacted
		r.Request, r.RequestLen = redacted(redactor, req.Body, int64(len(req.Body)), limit)
		r.Response, r.ResponseLen = redacted(redactor, answer, length, limit)
	}
}

// redacted is what is kept of a body that had so many bytes, and its length
// before the cut. What is not all there is not kept: what it ends with could be
// a part of anything.
func redacted(redactor *redact.Redactor, body []byte, length int64, limit int) ([]byte, int64) {
	if body == nil || int64(len(body)) < length {
		return nil, length
	}
	clean, whole := redactor.Redact(nil, body, limit)
	if whole {
		return clean, int64(len(clean))
	}
	return clean, max(length, int64(len(clean))+1)
}

func cutBytes(b []byte, most int) []byte { return b[:min(len(b), most)] }
