package scriptedtest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// Received is a call as it reached the Upstream.
type Received struct {
	Method string
	Path   string
	Query  string
	Header http.Header
	// Body is the received body, unchanged.
	Body []byte
	// Length is the Content-Length, or -1 for a chunked body.
	Length int64
}

// maxUnreadEvents limits the hung and the disconnected calls that no test has read. Further ones are
// dropped.
const maxUnreadEvents = 64

// eventTimeout limits the wait for an event. Only a failing test reaches it.
const eventTimeout = time.Minute

// Upstream sends scripted responses and records what it receives. It is an http.Handler and safe for
// concurrent use. New starts one on loopback.
type Upstream struct {
	// URL is the address of an upstream that New started. It is otherwise empty.
	URL string

	serve        func(Received) scripted.Response
	server       *http.Server
	hung         chan struct{}
	disconnected chan struct{}
	stop         chan struct{}
	close        func()

	mu       sync.Mutex
	script   []scripted.Response
	received []Received
	conns    int
}

// NewHandler returns an upstream that does not listen. For each call for which no response is
// scripted, it calls serve, one call at a time. The caller must call Close.
func NewHandler(serve func(Received) scripted.Response) *Upstream {
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

// listen returns an upstream that listens on a free loopback port.
func listen(serve func(Received) scripted.Response) (*Upstream, error) {
	u := NewHandler(serve)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the scripted upstream: %w", err)
	}
	u.URL = "http://" + l.Addr().String()
	go func() { _ = u.server.Serve(l) }()
	return u, nil
}

// Close closes all connections and ends all pauses. It may be called twice.
func (u *Upstream) Close() { u.close() }

// Script queues responses for the next calls, in this order.
func (u *Upstream) Script(responses ...scripted.Response) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.script = append(u.script, responses...)
}

// Received returns all calls so far, oldest first.
func (u *Upstream) Received() []Received {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.received)
}

// Last returns the latest call. It is empty if there was none.
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

// HungCalls returns a channel that receives a value for every call that starts to hang.
func (u *Upstream) HungCalls() <-chan struct{} { return u.hung }

// AwaitDisconnect waits for a call whose client disconnects before the response ends. It returns once
// for each of these calls. A test that disconnects before the upstream is called waits for HungCalls first.
func (u *Upstream) AwaitDisconnect(t testing.TB) {
	t.Helper()
	select {
	case <-u.disconnected:
	case <-time.After(eventTimeout):
		require.Fail(t, "no client disconnected", "%d calls were received", len(u.Received()))
	}
}

// ServeHTTP records the call and sends the next response.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a := u.nextResponse(Received{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header, Body: body, Length: r.ContentLength,
	})
	if !a.PlayUntil(w, r, u.stop, func() { notify(u.hung) }) {
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

func (u *Upstream) nextResponse(r Received) scripted.Response {
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
