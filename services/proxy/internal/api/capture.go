package api

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/redact"
)

// redactionFactor applies to a stream whose text will be redacted. The transcript of such a
// stream holds up to redactionFactor times the capture limit. Redaction needs the complete
// text, so it can only start at the end of the stream.
const redactionFactor = 16

// maxVectorCapture limits how much of an embeddings response is stored. A vector tells a reader
// nothing, can be computed again from the stored input, and would be most of the ledger.
const maxVectorCapture = 2 << 10

// effectiveCapture returns the key's capture setting. The header X-Signalbox-Capture can
// only make the setting stricter.
func effectiveCapture(p *keys.Principal, h http.Header) keys.Capture {
	capture := p.Capture
	for _, requested := range h["X-Signalbox-Capture"] {
		capture = max(capture, parseCapture(requested))
	}
	return capture
}

// parseCapture parses the capture header. An unknown value means none, because clients
// send the header to store less content.
func parseCapture(value string) keys.Capture {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "full":
		return keys.CaptureFull
	case "redacted":
		return keys.CaptureRedacted
	}
	return keys.CaptureNone
}

// captureLimit returns how many bytes of a request, and of a response, may be stored. It also
// returns how many bytes the transcript of a stream must hold for this.
func (e *edge) captureLimit(x *exchange) (limit, transcriptLimit int) {
	switch x.capture {
	case keys.CaptureNone:
		return 0, 0
	case keys.CaptureRedacted:
		return e.CaptureLimit, redactionFactor * e.CaptureLimit
	}
	return e.CaptureLimit, e.CaptureLimit
}

// captureContent puts the content into the record, as far as the capture setting allows.
// It also replaces the ids that providers chose by their storable form (see storableID).
func (e *edge) captureContent(x *exchange, req *requestbody.Request, res *dispatch.Result, limit int) {
	for i := range x.record.Attempts {
		a := &x.record.Attempts[i]
		a.UpstreamID = e.storableID(x, a.UpstreamID)
	}
	if limit == 0 {
		return
	}
	r, response, length := x.record, res.Response.Body, int64(len(res.Response.Body))
	if req.Stream && res.Committed {
		response, length = x.transcript.Response()
	}
	responseLimit := limit
	if req.Kind == catalog.Embeddings {
		responseLimit = min(limit, maxVectorCapture)
	}
	if x.capture == keys.CaptureFull {
		r.Request, r.RequestEnd = excerpt(req.Body, limit)
		r.RequestLen = int64(len(req.Body))
		r.Response, r.ResponseLen = truncateBytes(response, responseLimit), length
		return
	}
	if redactor := e.redactor(x); redactor != nil {
		r.Capture = ledger.CaptureRedacted
		r.Request, r.RequestLen = redactBody(redactor, req.Body, int64(len(req.Body)), limit)
		r.Response, r.ResponseLen = redactBody(redactor, response, length, responseLimit)
	}
}

// redactBody returns the redacted body, cut at the limit, and its approximate length before
// the cut. If the transcript holds only part of the body, redactBody returns no content. That
// part could end in the middle of a secret, which redaction would not recognise.
func redactBody(redactor *redact.Redactor, body []byte, length int64, limit int) ([]byte, int64) {
	if body == nil || int64(len(body)) < length {
		return nil, length
	}
	clean, whole := redactor.Redact(nil, body, limit)
	if whole {
		return clean, int64(len(clean))
	}
	return clean, max(length, int64(len(clean))+1)
}

// minExcerpt is the lowest capture limit with which a long request keeps its end.
const minExcerpt = 4 << 10

// excerpt returns the beginning of a body, and its end if the middle is left out. Of a body above the
// limit, a sixteenth of the limit is kept at the beginning, and three sixteenths at the end. A long
// context begins alike in all requests of a session, and its end is what is new. To store 64 KiB of it
// would take as much CPU time as all other work on such a request.
func excerpt(body []byte, limit int) (start, end []byte) {
	if len(body) <= limit || limit < minExcerpt {
		return truncateBytes(body, limit), nil
	}
	from, to := limit/16, len(body)-3*limit/16
	for from > 0 && !utf8.RuneStart(body[from]) {
		from--
	}
	for to < len(body)-1 && !utf8.RuneStart(body[to]) {
		to++
	}
	return body[:from], body[to:]
}

func truncateBytes(b []byte, maxBytes int) []byte { return b[:min(len(b), maxBytes)] }
