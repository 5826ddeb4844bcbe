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

// tap forwards all bytes to the gateway unchanged. It stores what the clients sent, so
// that calls can be counted even if the gateway responded itself.
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

// pass forwards a connection until the client closes it. It keeps reading even if the
// gateway rejects a call before reading it.
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

// calls counts the calls that contain the text.
func (p *tap) calls(text string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.sent {
		n += bytes.Count(s.kept.Bytes(), []byte(text))
	}
	return n
}

// sent is the data of one connection on its way to the gateway.
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
