// Package relay stands between a client and a server on loopback and makes
// their connection worse: slow, refused, or cut the moment a certain word is
// sent. It knows no protocol. The fault suites put it before Redis and
// Postgres.
package relay

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// dialLimit is long for loopback.
const dialLimit = 5 * time.Second

// Relay is safe for concurrent use.
type Relay struct {
	lis net.Listener
	to  string

	mu      sync.Mutex
	conns   map[net.Conn]bool
	delay   time.Duration
	refuses bool
	trap    *trap
	ended   bool
}

// trap waits for a word.
type trap struct {
	word   []byte
	pass   bool
	sprung chan struct{}
}

// New starts one before an address; Close ends it.
func New(to string) (*Relay, error) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{lis: lis, to: to, conns: map[net.Conn]bool{}}
	go r.accept()
	return r, nil
}

// Addr is where it listens.
func (r *Relay) Addr() string { return r.lis.Addr().String() }

// Slow holds everything that the server says back for so long; 0 ends it.
func (r *Relay) Slow(delay time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = delay
}

// Refuse breaks every connection and closes each new one at once, until it is
// told otherwise.
func (r *Relay) Refuse(yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = yes
	if yes {
		r.breakAll()
	}
}

// Trap cuts the connection on which a client next sends the word, in lower or
// upper case: before it, or when pass is set just after it. From then on
// nothing comes through until Refuse(false), and the channel is closed.
func (r *Relay) Trap(word string, pass bool) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trap = &trap{word: bytes.ToLower([]byte(word)), pass: pass, sprung: make(chan struct{})}
	return r.trap.sprung
}

// Close ends it and every connection.
func (r *Relay) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	_ = r.lis.Close()
	r.breakAll()
}

func (r *Relay) breakAll() {
	for c := range r.conns {
		_ = c.Close()
	}
	clear(r.conns)
}

func (r *Relay) accept() {
	for {
		client, err := r.lis.Accept()
		if err != nil {
			return
		}
		go r.carry(client)
	}
}
