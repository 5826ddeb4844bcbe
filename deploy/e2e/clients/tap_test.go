package clients

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// tap stands before the gateway and passes every byte on unchanged. It keeps
// what clients sent, so that their calls can be counted, also those that the
// gateway answered by itself.
type tap struct {
	url    string
	target string

	mu   sync.Mutex
	sent []*sent
}

func newTap(t *testing.T, base string) *tap {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &tap{url: "http://" + l.Addr().String(), target: strings.TrimPrefix(base, "http://")}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(conn)
		}
	}()
	return p
}

// pass ends when the client has. Until then it is listened to, whatever the
// gateway does: it may refuse a call before it has read it.
func (p *tap) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	s := &sent{mu: &p.mu, to: server}
	p.mu.Lock()
	p.sent = append(p.sent, s)
	p.mu.Unlock()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(s, client)
}

// calls counts the calls that carried the text.
func (p *tap) calls(text string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.sent {
		n += bytes.Count(s.kept.Bytes(), []byte(text))
	}
	return n
}

// sent is what came on one connection, on its way to the gateway.
type sent struct {
	mu   *sync.Mutex
	kept bytes.Buffer
	to   io.Writer
}

func (s *sent) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.kept.Write(p)
	s.mu.Unlock()
	_, _ = s.to.Write(p)
	return len(p), nil
}
