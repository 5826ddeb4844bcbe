package egress

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// joined sends written data when the next read starts, so that several TLS records arrive together: TLS
// then reads them all from the system at once.
type joined struct {
	net.Conn
	out *bufio.Writer
}

func (j joined) Write(p []byte) (int, error) { return j.out.Write(p) }

func (j joined) Read(p []byte) (int, error) {
	if err := j.out.Flush(); err != nil {
		return 0, err
	}
	return j.Conn.Read(p)
}

// overTLS plays a connection after a handshake.
func overTLS(certificates []tls.Certificate, play script, protocols ...string) script {
	return func(t *testing.T, c net.Conn, _ *bufio.Reader) {
		config := &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12, NextProtos: protocols}
		secured := tls.Server(joined{c, bufio.NewWriter(c)}, config)
		play(t, secured, bufio.NewReader(secured))
	}
}

// records sends the response to the first request in several records, all others in one.
func records(texts []string) script {
	return func(t *testing.T, c net.Conn, r *bufio.Reader) {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		for _, text := range texts {
			_, _ = io.WriteString(c, text)
		}
		answer(plainAnswer)(t, c, r)
	}
}

// Data after a response must not be taken for the next response, even if TLS has already buffered it and
// the socket is empty.
func TestNothingIsLeftOverInTLS(t *testing.T) {
	const (
		chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
		evil   = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	)
	s, _ := secure(t, false, echoBody)
	for name, tt := range map[string]struct {
		give  []string
		conns int64
	}{
		"nothing":                 {[]string{plainAnswer}, 1},
		"answer":                  {[]string{plainAnswer, evil}, 2},
		"one byte":                {[]string{plainAnswer, "\n"}, 2},
		"trailer":                 {[]string{chunks, "0\r\n", "A: b\r\n", "\r\n"}, 1},
		"bare line feed":          {[]string{chunks, "0\r\n", "\n"}, 2},
		"line of blanks":          {[]string{chunks, "0\r\n", " \r\n"}, 2},
		"behind the empty line":   {[]string{chunks, "0\r\n", "\r\n", evil}, 2},
		"behind a bare line feed": {[]string{chunks, "0\r\n", "\n", evil}, 2},
		"behind a line of blanks": {[]string{chunks, "0\r\n", " \r\n", evil}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			certificates := s.TLS.Certificates
			u := listen(t, overTLS(certificates, records(tt.give)), overTLS(certificates, answer(plainAnswer)))
			to := strings.Replace(u.url, "http:", "https:", 1)
			c := New(Config{AllowPrivate: true, Roots: roots(s), TLSTimeout: patience})
			defer c.CloseIdleConnections()
			c.pool.trailingBytesTimeout = patience
			for range 3 {
				resp, err := post(t.Context(), t, c, to, "x")
				require.NoError(t, err)
				require.Equal(t, "hello", read(t, resp))
				c.settled(t, resp.Body.(*Body).conn)
			}
			require.Equal(t, tt.conns, u.conns.Load())
		})
	}
}
