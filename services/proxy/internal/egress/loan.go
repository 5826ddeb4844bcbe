package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

var (
	// errOver is the read error of a body after the loan ended.
	errOver = errors.New("the call is over")
	// errBodyUsed is the error of an attempt of net/http to send a body a second time.
	errBodyUsed = errors.New("the request was already sent")
)

// bodyLoan lends a request's body to net/http. net/http may continue to read the body after the
// response has arrived. The memory of the body is reused after the call, so end must stop the
// reading.
type bodyLoan struct {
	getBody func() (io.ReadCloser, error)

	mu   sync.Mutex
	over bool
	// used means that net/http has read a part of the body.
	used    bool
	current *lentBody
}

// lentBody is the body for one attempt of net/http to send the request.
type lentBody struct {
	loan *bodyLoan
	body io.ReadCloser
	// ownsBody is set if GetBody created body. Then Close must also close body.
	ownsBody bool
	// doneReading is closed when net/http needs no more of the body.
	doneReading chan struct{}
	once        sync.Once
}

func newBodyLoan(req *http.Request) *bodyLoan {
	l := &bodyLoan{getBody: req.GetBody}
	l.lend(req.Body, false)
	return l
}

func (l *bodyLoan) lend(body io.ReadCloser, ownsBody bool) *lentBody {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current = &lentBody{loan: l, body: body, ownsBody: ownsBody, doneReading: make(chan struct{})}
	return l.current
}

// request returns the request with the lent body. net/http gets the body a second time only if
// it has read nothing of it. It reads the body after it has sent the header, so until then the
// upstream has nothing to execute. Without this rule, net/http would silently send a request
// again after GOAWAY, REFUSED_STREAM and PROTOCOL_ERROR.
func (l *bodyLoan) request(req *http.Request) *http.Request {
	own := *req
	own.Body = l.current
	if l.getBody != nil {
		own.GetBody = func() (io.ReadCloser, error) {
			if l.isUsed() {
				return nil, errBodyUsed
			}
			body, err := l.getBody()
			if err != nil {
				return nil, err
			}
			return l.lend(body, true), nil
		}
	}
	return &own
}

func (l *bodyLoan) isUsed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used
}

// waitSent waits until net/http needs no more of the body, or ctx is done. An upstream may
// respond early and continue to read the body.
func (l *bodyLoan) waitSent(ctx context.Context) {
	l.mu.Lock()
	current := l.current
	l.mu.Unlock()
	select {
	case <-current.doneReading:
	case <-ctx.Done():
	}
}

// end ends the loan: net/http can no longer read the body.
func (l *bodyLoan) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// Read reads the body until the loan ends. After that it blocks until Close. If it returned an
// error, net/http would discard the response, but the response may be a rejection that the
// caller must read.
func (b *lentBody) Read(p []byte) (int, error) {
	n, err := b.readLent(p)
	if errors.Is(err, errOver) {
		<-b.doneReading
	}
	return n, err
}

func (b *lentBody) readLent(p []byte) (int, error) {
	b.loan.mu.Lock()
	defer b.loan.mu.Unlock()
	if b.loan.over {
		return 0, errOver
	}
	b.loan.used = true
	n, err := b.body.Read(p)
	if err != nil {
		b.done()
	}
	return n, err
}

// Close is called when net/http needs no more of the body. It does not close the request's own
// body, because the caller may still need it.
func (b *lentBody) Close() error {
	b.done()
	if b.ownsBody {
		return b.body.Close()
	}
	return nil
}

func (b *lentBody) done() { b.once.Do(func() { close(b.doneReading) }) }
