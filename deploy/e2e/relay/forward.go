package relay

import (
	"bytes"
	"io"
	"net"
	"time"
)

// track registers a connection. It returns false if the connection must be closed.
func (r *Relay) track(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusing || r.closed {
		return false
	}
	r.conns[c] = true
	return true
}

func (r *Relay) forward(client net.Conn) {
	defer func() { _ = client.Close() }()
	if !r.track(client) {
		return
	}
	server, err := net.DialTimeout("tcp", r.to, dialTimeout)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	if !r.track(server) {
		return
	}
	go func() {
		defer func() { _ = client.Close() }()
		r.copyToClient(client, server)
	}()
	r.copyToServer(server, client)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, client)
	delete(r.conns, server)
}

// copyToServer forwards client data and checks it for the trigger word. It does not
// find a word that is split over two reads. Commands are short and arrive in one read.
func (r *Relay) copyToServer(server io.Writer, client io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		data := buf[:n]
		if n > 0 && r.triggerCut(server, data) {
			return
		}
		if _, werr := server.Write(data); err != nil || werr != nil {
			return
		}
	}
}

// triggerCut cuts all connections if the data contains the trigger word.
func (r *Relay) triggerCut(server io.Writer, data []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trigger == nil || !bytes.Contains(bytes.ToLower(data), r.trigger.word) {
		return false
	}
	if r.trigger.pass {
		_, _ = server.Write(data)
	}
	close(r.trigger.triggered)
	r.trigger, r.refusing = nil, true
	r.closeConnections()
	return true
}

// copyToClient forwards server data after the current delay.
func (r *Relay) copyToClient(client io.Writer, server io.Reader) {
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
