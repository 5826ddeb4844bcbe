// Package relay is a TCP relay on loopback that injects faults: it delays
// responses, refuses connections, or cuts them when a client sends a given word.
// It parses no protocol. The fault suites put it in front of Redis and Postgres.
package relay

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// dialTimeout is generous for loopback.
const dialTimeout = 5 * time.Second

// Relay forwards connections to one server. It is safe for concurrent use.
type Relay struct {
	lis net.Listener
	to  string

	mu       sync.Mutex
	conns    map[net.Conn]bool
	delay    time.Duration
	refusing bool
	trigger  *cutTrigger
	closed   bool
}

// cutTrigger cuts the connections when a client sends its word.
type cutTrigger struct {
	word      []byte
	pass      bool
	triggered chan struct{}
}

// New starts a relay in front of an address; Close stops it.
func New(to string) (*Relay, error) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return NewOn(lis, to), nil
}

// NewOn starts a relay on a listener, for clients that cannot reach loopback.
func NewOn(lis net.Listener, to string) *Relay {
	r := &Relay{lis: lis, to: to, conns: map[net.Conn]bool{}}
	go r.acceptConnections()
	return r
}

// Addr returns the listen address.
func (r *Relay) Addr() string { return r.lis.Addr().String() }

// SetDelay delays all data of the server; 0 removes the delay.
func (r *Relay) SetDelay(delay time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = delay
}

// SetRefusing makes the relay close all connections and every new connection, until
// it is called with false.
func (r *Relay) SetRefusing(yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refusing = yes
	if yes {
		r.closeConnections()
	}
}

// CutAt cuts all connections when a client sends the word, in upper or lower case. If
// pass is set, the data that contains the word is forwarded before the cut. The relay
// then refuses connections until SetRefusing(false). The returned channel closes at
// the cut.
func (r *Relay) CutAt(word string, pass bool) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trigger = &cutTrigger{word: bytes.ToLower([]byte(word)), pass: pass, triggered: make(chan struct{})}
	return r.trigger.triggered
}

// Close stops the relay and closes every connection.
func (r *Relay) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	_ = r.lis.Close()
	r.closeConnections()
}

func (r *Relay) closeConnections() {
	for c := range r.conns {
		_ = c.Close()
	}
	clear(r.conns)
}

func (r *Relay) acceptConnections() {
	for {
		client, err := r.lis.Accept()
		if err != nil {
			return
		}
		go r.forward(client)
	}
}
