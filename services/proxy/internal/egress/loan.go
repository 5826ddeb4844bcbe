package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// errOver is what net/http reads of a body that was taken back.
var errOver = errors.New("the call is over")

// loan lends a request's body to net/http, which may go on reading it when the
// answer is there. The body's memory is somebody else's after the call.
type loan struct {
	again func() (io.ReadCloser, error)

	mu   sync.Mutex
	over bool
	now  *lent
}

// lent is the body, once.
type lent struct {
	loan *loan
	body io.ReadCloser
	// copied is set for a second one, which nobody else closes.
	copied bool
	// read is closed when nothing more is wanted of it.
	read chan struct{}
	once sync.Once
}

func newLoan(req *http.Request) *loan {
	l := &loan{again: req.GetBody}
	l.lend(req.Body, false)
	return l
}

func (l *loan) lend(body io.ReadCloser, copied bool) *lent {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = &lent{loan: l, body: body, copied: copied, read: make(chan struct{})}
	return l.now
}

// request is the request with the lent body.
func (l *loan) request(req *http.Request) *http.Request {
	own := *req
	own.Body = l.now
	if l.again != nil {
		own.GetBody = func() (io.ReadCloser, error) {
			body, err := l.again()
			if err != nil {
				return nil, err
			}
			return l.lend(body, true), nil
		}
	}
	return &own
}

// wait is for an early answer of an upstream that goes on reading: it gets the
// whole body.
func (l *loan) wait(ctx context.Context) {
	l.mu.Lock()
	now := l.now
	l.mu.Unlock()
	select {
	case <-now.read:
	case <-ctx.Done():
	}
}

// end takes the body back.
func (l *loan) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// Read reads until the loan ends. Then it waits to be closed, since net/http
// gives up the answer together with the body: a refusal has to be read.
func (b *lent) Read(p []byte) (int, error) {
	n, err := b.take(p)
	if errors.Is(err, errOver) {
		<-b.read
	}
	return n, err
}

func (b *lent) take(p []byte) (int, error) {
	b.loan.mu.Lock()
	defer b.loan.mu.Unlock()
	if b.loan.over {
		return 0, errOver
	}
	n, err := b.body.Read(p)
	if err != nil {
		b.done()
	}
	return n, err
}

// Close says that no more is wanted. The request's own body is closed by
// whoever lent it, who may still need it.
func (b *lent) Close() error {
	b.done()
	if b.copied {
		return b.body.Close()
	}
	return nil
}

func (b *lent) done() { b.once.Do(func() { close(b.read) }) }
