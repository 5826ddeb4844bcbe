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

// maxUnreadEvents bounds the unread values of HungCalls and DisconnectedCalls. More are
// dropped.
const maxUnreadEvents = 64

// Upstream responds by script and records what it receives. It is an http.Handler; Listen
// serves one on loopback. It is safe for concurrent use.
type Upstream struct {
	// URL is its address, if it listens.
	URL string

	serve        func(Received) Response
	server       *http.Server
	hung         chan struct{}
	disconnected chan struct{}
	stop         chan struct{}
	close        func()

	mu       sync.Mutex
	script   []Response
	received []Received
	conns    int
}

// New returns an upstream. When no script is left, it calls serve, one call at a time. Close
// ends it.
func New(serve func(Received) Response) *Upstream {
	u := &Upstream{
		serve:        serve,
		hung:         make(chan struct{}, maxUnreadEvents),
		disconnected: make(chan struct{}, maxUnreadEvents),
		stop:         make(chan struct{}),
	}
	u.server = &http.Server{Handler: u, ConnState: u.countConnection, ReadHeaderTimeout: time.Minute}
	u.close = sync.OnceFunc(func() {
		close(u.stop)
		_ = u.server.Close()
	})
	return u
}

// Listen returns an upstream that listens on a free loopback port.
func Listen(serve func(Received) Response) (*Upstream, error) {
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
func (u *Upstream) Script(answers ...Response) {
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

// HungCalls receives a value for every call that starts to hang.
func (u *Upstream) HungCalls() <-chan struct{} { return u.hung }

// DisconnectedCalls receives a value for every call whose client disconnected before the response ended.
func (u *Upstream) DisconnectedCalls() <-chan struct{} { return u.disconnected }

// ServeHTTP plays the next response.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a := u.nextResponse(Received{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header, Body: body, Length: r.ContentLength,
	})
	if err := a.play(w, r, func() { notify(u.hung) }, u.stop); errors.Is(err, errDisconnected) {
		notify(u.disconnected)
	}
}

func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (u *Upstream) countConnection(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.conns++
	}
}

func (u *Upstream) nextResponse(r Received) Response {
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
