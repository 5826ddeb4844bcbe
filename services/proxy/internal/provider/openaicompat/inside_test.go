package openaicompat

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// body tells whether it was read to its end before it was closed, which is
// when net/http keeps a connection.
type body struct {
	io.Reader
	ended, kept bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

func (b *body) Close() error {
	b.kept = b.ended
	return nil
}

func TestStreamIsReadToItsEnd(t *testing.T) {
	b := &body{Reader: iotest.OneByteReader(strings.NewReader("data: {}\n\ndata: [DONE]\n\n: bye\n\n"))}
	e := newEvents(t.Context(), &Provider{}, b)
	_, err := e.Next()
	require.NoError(t, err)
	_, err = e.Next()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, e.Close())
	require.True(t, b.kept)
}

func TestAbandonedStreamIsNotRead(t *testing.T) {
	b := &body{Reader: strings.NewReader("data: {}\n\n" + strings.Repeat(": more\n\n", 1000))}
	e := newEvents(t.Context(), &Provider{}, b)
	_, err := e.Next()
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.False(t, b.kept)
}

func TestBareErrorsNameNoAddress(t *testing.T) {
	op := &net.OpError{
		Op: "read", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 9), Port: 443},
		Err: os.NewSyscallError("read", syscall.ECONNRESET),
	}
	err := bare(&url.Error{Op: "Post", URL: "http://internal.example/v1", Err: op})
	require.Equal(t, "read: connection reset by peer", err.Error())
	require.ErrorIs(t, err, syscall.ECONNRESET)
}
