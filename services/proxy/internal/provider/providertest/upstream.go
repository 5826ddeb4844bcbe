// Package providertest is the contract of provider adapters, as a suite. Run
// holds for every provider; RunUpstream adds what one must do with an upstream
// that misbehaves, played by Upstream, a real HTTP server that answers by
// script. An adapter is done when its tests call them and pass. Only tests
// import it.
package providertest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Answer is what an Upstream says to one call.
type Answer struct {
	// Status is 200 when zero.
	Status int
	Header map[string]string
	// Pieces are written and flushed one by one, so that a reader meets the
	// boundaries between them.
	Pieces []string
	// Cut ends the connection after the pieces without ending the answer; with
	// no pieces and no status, before any answer.
	Cut bool
	// Hang stays silent after the pieces until the caller is gone; with no
	// pieces and no status, without any answer.
	Hang bool
}

// Text is an answer in one piece.
func Text(status int, contentType, body string) Answer {
	return Answer{Status: status, Header: map[string]string{"Content-Type": contentType}, Pieces: []string{body}}
}

// Bytewise is the same answer, one byte at a time.
func (a Answer) Bytewise() Answer {
	a.Pieces = strings.Split(strings.Join(a.Pieces, ""), "")
	return a
}

// Received is a call as it reached the Upstream.
type Received struct {
	Method string
	Path   string
	Header http.Header
	Body   []byte
	// Length is the announced length; -1 when the body came in chunks.
	Length int64
}

// Upstream is a scripted HTTP server on loopback.
type Upstream struct {
	// URL is where it listens.
	URL string

	serve func(Received) Answer
	hung  chan struct{}
	gone  chan struct{}
	stop  chan struct{}

	mu       sync.Mutex
	script   []Answer
	received []Received
	conns    int
}

// NewUpstream starts an upstream that answers by serve what no script covers.
// It stops with the test.
func NewUpstream(t testing.TB, serve func(Received) Answer) *Upstream {
	t.Helper()
	u := &Upstream{
		serve: serve,
		hung:  make(chan struct{}, 64),
		gone:  make(chan struct{}, 64),
		stop:  make(chan struct{}),
	}
	s := httptest.NewUnstartedServer(u)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.conns++
		}
	}
	s.Start()
	u.URL = s.URL
	t.Cleanup(func() {
		close(u.stop)
		s.Close()
	})
	return u
}

// Script makes the next calls get these answers, in this order.
func (u *Upstream) Script(answers ...Answer) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.script = append(u.script, answers...)
}

// Received are the calls so far.
func (u *Upstream) Received() []Received {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]Received(nil), u.received...)
}

// Connections is how many were opened so far.
func (u *Upstream) Connections() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.conns
}

// Hung gives a value for every call that has begun to hang.
func (u *Upstream) Hung() <-chan struct{} { return u.hung }

// Gone gives a value for every hanging call whose caller went away.
func (u *Upstream) Gone() <-chan struct{} { return u.gone }

// ServeHTTP plays the next answer.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a := u.next(Received{Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: body, Length: r.ContentLength})
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	control := http.NewResponseController(w)
	if a.Status != 0 {
		w.WriteHeader(a.Status)
		_ = control.Flush()
	}
	for _, p := range a.Pieces {
		_, _ = io.WriteString(w, p)
		_ = control.Flush()
	}
	if a.Hang {
		u.hang(r)
	}
	if a.Cut || a.Hang {
		if conn, _, err := control.Hijack(); err == nil {
			_ = conn.Close()
		}
	}
}

func (u *Upstream) hang(r *http.Request) {
	u.hung <- struct{}{}
	select {
	case <-r.Context().Done():
		u.gone <- struct{}{}
	case <-u.stop:
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
