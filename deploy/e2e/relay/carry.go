package relay

import (
	"bytes"
	"io"
	"net"
	"time"
)

// keep reports whether a connection may go on.
func (r *Relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuses || r.ended {
		return false
	}
	r.conns[c] = true
	return true
}

func (r *Relay) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	if !r.keep(client) {
		return
	}
	server, err := net.DialTimeout("tcp", r.to, dialLimit)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	if !r.keep(server) {
		return
	}
	go func() {
		defer func() { _ = client.Close() }()
		r.back(client, server)
	}()
	r.forth(server, client)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, client)
	delete(r.conns, server)
}

// forth passes on what the client says, and looks for the word in it. A word
// in two pieces is not found: commands are short and come whole.
func (r *Relay) forth(server io.Writer, client io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		said := buf[:n]
		if n > 0 && r.caught(server, said) {
			return
		}
		if _, werr := server.Write(said); err != nil || werr != nil {
			return
		}
	}
}

// caught springs the trap if the word was said.
func (r *Relay) caught(server io.Writer, said []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trap == nil || !bytes.Contains(bytes.ToLower(said), r.trap.word) {
		return false
	}
	if r.trap.pass {
		_, _ = server.Write(said)
	}
	close(r.trap.sprung)
	r.trap, r.refuses = nil, true
	r.breakAll()
	return true
}

// back passes on what the server says, late if need be.
func (r *Relay) back(client io.Writer, server io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		r.mu.Lock()
		delay := r.delay
		r.mu.Unlock()
		if delay > 0 {
			<-time.After(delay)
		}
		if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}
