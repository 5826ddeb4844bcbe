package api

import (
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// exchange is one request and its response. What lives as long as a request is
// part of it, and so of one piece of memory, which is never used again: whoever
// still holds any of it keeps all of it.
type exchange struct {
	w  http.ResponseWriter
	r  *http.Request
	id uuid.UUID
	// name is the id as text.
	name  string
	began time.Time
	// format is the shape of error bodies.
	format apperr.Format
	// record is nil until the key has been accepted; then it is entry.
	record    *ledger.Record
	entry     ledger.Record
	question  decide.Question
	principal *keys.Principal
	// capture is what may be kept of the content.
	capture keys.Capture
	// policy is the one the request was decided under.
	policy *policy.Policy
	rc     http.ResponseController
	// read is whether the request's body was read to its end.
	read bool
	// buffer is the memory of the body.
	buffer *[]byte
	// committed is whether the response's headers have been sent.
	committed bool
	// closed is whether the record was written.
	closed bool
	// place is the request's inside.
	place gate.Place
	// pass is that the caller's limits let the request through; nil where there
	// are none.
	pass *limits.Pass
	// out is where the answer goes, nil until an upstream is asked; then it is
	// stream.
	out    *stream
	stream stream
	// transcript has what a stream said, if that is to be kept.
	transcript *openai.Transcript
	// values are those of the response's headers.
	values  [usualHeaders]string
	headers int
}

const (
	// writeTimeout is how long a client may leave a frame or the end of an
	// answer unread before its connection is given up.
	writeTimeout = 30 * time.Second
	// slowest is the bytes a second that a client must be able to take.
	slowest = 64 << 10
	// discardTimeout is how long a refused body is waited for, so that the
	// connection can be used again.
	discardTimeout = time.Second
)

func newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	began := time.Now()
	x := &exchange{w: w, r: r, began: began, rc: *http.NewResponseController(w), read: r.ContentLength == 0}
	if strings.EqualFold(one(r.Header, "X-Error-Format"), "openai") {
		x.format = apperr.OpenAI
	}
	setID(&x.id, began)
	x.name = x.id.String()
	x.header("X-Request-Id", x.name)
	return x
}

// setID makes an id of that very moment, version 7: the ledger keeps days by
// the id, and counts them by the record's time. After the milliseconds come 12
// bits of what is left of the time, and then chance.
func setID(id *uuid.UUID, t time.Time) {
	_, _ = rand.Read(id[8:]) // never fails: it ends the process instead
	left := uint64(t.Nanosecond()) % uint64(time.Millisecond) >> 8
	binary.BigEndian.PutUint64(id[:], uint64(t.UnixMilli())<<16|7<<12|left)
	id[8] = id[8]&0x3f | 0x80
}

// abort cuts the connection: returning would end the response as if it were
// whole.
func abort() {
	panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's own way to do this; it is not logged and harms nobody
}

// fail answers with an error. A body that nobody read is waited for only
// briefly: whoever holds it back holds a connection.
func (x *exchange) fail(err error) {
	if !x.read {
		_ = x.rc.SetReadDeadline(time.Now().Add(discardTimeout))
	}
	x.commit(0)
	apperr.Write(x.w, err, x.name, x.format)
}

// commit is called before the headers are sent; a client that does not take
// the answer in its time is given up.
func (x *exchange) commit(size int) {
	x.committed = true
	x.tellLimits()
	_ = x.rc.SetWriteDeadline(time.Now().Add(writeTimeout + time.Duration(size)*time.Second/slowest))
}
