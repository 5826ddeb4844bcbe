package api

import (
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/bodyreader"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// exchange is one request and its response. Most data that lives as long as the request is
// part of it, to save allocations. It is not pooled, because a keep-alive timer may still
// refer to it after the handler returns.
type exchange struct {
	w  http.ResponseWriter
	r  *http.Request
	id uuid.UUID
	// requestID is the id as text.
	requestID string
	startedAt time.Time
	// format is the format of error bodies.
	format apperr.Format
	// route is the endpoint of the request. It is nil for an unknown path.
	route *route
	// record is nil until the key is accepted. Then it points to entry.
	record    *ledger.Record
	entry     ledger.Record
	question  decide.Question
	principal *keys.Principal
	session   exchangeSession
	// stored is the stored response that the request continues. It is nil without one.
	stored *dispatch.StoredResponse
	// publicURL is the origin of the documentation that errors link to.
	publicURL string
	// capture is how much of the content may be stored.
	capture keys.Capture
	// policy is the policy of the decision. It is nil before the decision.
	policy *policy.Policy
	// chosen is the policy that was chosen to decide; nil before.
	chosen *policy.Policy
	rc     http.ResponseController
	// bodyRead means that the whole request body was read.
	bodyRead bool
	// body holds the request body.
	body bodyreader.Buffer
	// committed means that commit was called. The response headers are about to be sent or
	// were sent.
	committed bool
	// recorded means that finishRecord was called, which writes the record.
	recorded bool
	// slot is the request's slot in the gate.
	slot gate.Slot
	// admission is the reservation in the caller's limits. It is nil without limits.
	admission *limits.Admission
	// out is nil until an upstream is called. Then it points to stream.
	out    *stream
	stream stream
	// transcript captures the text of a stream. It is nil if the text is not stored.
	transcript *normalize.Transcript
	// headerValues holds the values of the first headers that setHeader sets.
	headerValues [usualHeaders]string
	headerCount  int
}

const (
	// writeTimeout limits how long a client may take to receive a response or a part of
	// a stream. After that, the connection is closed. A large response gets more time.
	writeTimeout = 30 * time.Second
	// discardTimeout is how long the proxy waits for the rest of the request body after an
	// error, so that the connection can be reused.
	discardTimeout = time.Second
)

func newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	began := time.Now()
	x := &exchange{w: w, r: r, startedAt: began, rc: *http.NewResponseController(w), bodyRead: r.ContentLength == 0}
	if strings.EqualFold(firstValue(r.Header, "X-Error-Format"), "openai") {
		x.format = apperr.OpenAI
	}
	setID(&x.id, began)
	x.requestID = x.id.String()
	x.setHeader("X-Request-Id", x.requestID)
	return x
}

// setID sets id to a UUIDv7 with the time t, because the ledger derives the day from the
// id. The milliseconds are followed by 12 bits of sub-millisecond time, and then by
// random bits.
func setID(id *uuid.UUID, t time.Time) {
	binary.BigEndian.PutUint64(id[8:], rand.Uint64()) // seeded by the operating system; faster than crypto/rand
	left := uint64(t.Nanosecond()) % uint64(time.Millisecond) >> 8
	binary.BigEndian.PutUint64(id[:], uint64(t.UnixMilli())<<16|7<<12|left)
	id[8] = id[8]&0x3f | 0x80
}

// abort closes the connection. If the handler just returned, the client would treat the
// response as complete.
func abort() {
	panic(http.ErrAbortHandler) //nolint:forbidigo // net/http documents this; the panic is not logged and ends only this request
}

// sendError sends an error response. If part of the request body is unread, the server waits
// for it. sendError limits this wait, so that a slow client does not occupy the connection.
func (x *exchange) sendError(err error) {
	if !x.bodyRead {
		_ = x.rc.SetReadDeadline(time.Now().Add(discardTimeout))
	}
	x.commit(0)
	apperr.Write(x.w, err, x.errorOptions())
}

func (x *exchange) errorOptions() apperr.Options {
	return apperr.Options{RequestID: x.requestID, Format: x.format, PublicURL: x.publicURL}
}

// commit must be called before the headers are sent. It adds the headers about limits, and
// sets the deadline by which the client must have read a response of the given size.
func (x *exchange) commit(size int) {
	x.committed = true
	x.setLimitHeaders()
	_ = x.rc.SetWriteDeadline(time.Now().Add(writeTimeout + time.Duration(size)*time.Second/bodyreader.MinBytesPerSecond))
}
