package scripted

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Received is a call as it reached the Upstream.
type Received struct {
	Method string
	Path   string
	Query  string
	Header http.Header
	// Body is the received body, byte for byte.
	Body []byte
	// Length is the announced length; -1 for a chunked body.
	Length int64
}

// events bounds the unread values of Hung and Gone. More are dropped.
const events = 64

// Upstream responds by script and records what it receives. It is an http.Handler; Listen
// serves one on loopback. It is safe for concurrent use.
type Upstream struct {
	// URL is its address, if it listens.
	URL string

	serve  func(Received) Answer
	server *http.Server
	hung   chan struct{}
	gone   chan struct{}
	stop   chan struct{}
	close  func()

	mu       sync.Mutex
	script   []Answer
	received []Received
	conns    int
}

// New returns an upstream. When no script is left, it calls serve, one call at a time. Close
// ends it.
func New(serve func(Received) Answer) *Upstream {
	u := &Upstream{
		serve: serve,
		hung:  make(chan struct{}, events),
		gone:  make(chan struct{}, events),
		stop:  make(chan struct{}),
	}
	u.server = &http.Server{Handler: u, ConnState: u.count, ReadHeaderTimeout: time.Minute}
	u.close = sync.OnceFunc(func() {
		close(u.stop)
		_ = u.server.Close()
	})
	return u
}

// Listen returns an upstream that listens on a free loopback port.
func Listen(serve func(Received) Answer) (*Upstream, error) {
	u := New(serve)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the scripted upstream: %w", err)
	}
	u.URL = "http://" + l.Addr().String()
	go func() { _ = u.server.Serve(l) }()
	return u, nil
}

// Close ends all connections and all waiting. It may be called twice.
func (u *Upstream) Close() { u.close() }

// Script queues responses for the next calls, in this order.
func (u *Upstream) Script(answers ...Answer) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.script = append(u.script, answers...)
}

// Received returns the calls so far.
func (u *Upstream) Received() []Received {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.received)
}

// Last returns the latest call; empty if there was none.
func (u *Upstream) Last() Received {
	all := u.Received()
	if len(all) == 0 {
		return Received{}
	}
	return all[len(all)-1]
}

// Connections returns how many connections were opened so far.
func (u *Upstream) Connections() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.conns
}

// Hung receives a value for every call that starts to hang.
func (u *Upstream) Hung() <-chan struct{} { return u.hung }

// Gone receives a value for every call whose client disconnected before the response ended.
func (u *Upstream) Gone() <-chan struct{} { return u.gone }

// ServeHTTP plays the next response.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a := u.next(Received{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header, Body: body, Length: r.ContentLength,
	})
	if err := a.play(w, r, func() { tell(u.hung) }, u.stop); errors.Is(err, errLeft) {
		tell(u.gone)
	}
}

func tell(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (u *Upstream) count(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.conns++
	}
}

func (u *Upstream) next(r Received) Answer {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.received = append(u.received, r)
	if len(u.script) == 0 {
		return u.serve(r)
	}
	a := u.script[0]
	u.script = u.script[1:]
	return a
}
