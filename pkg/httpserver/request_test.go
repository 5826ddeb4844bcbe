package httpserver_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

const smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"

// A request whose end is a matter of opinion is refused, and what follows it is not read.
func TestAmbiguousFramingClosesTheConnection(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: patience})
	const chunked = "Transfer-Encoding: chunked\r\n"
	for name, head := range map[string]string{
		"length and encoding":         "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n" + chunked,
		"encoding and length":         "POST / HTTP/1.1\r\nHost: h\r\n" + chunked + "content-length:5\r\n",
		"the same length twice":       "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 5\r\n",
		"two lengths":                 "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
		"a list of lengths":           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5, 5\r\n",
		"two encodings":               "POST / HTTP/1.1\r\nHost: h\r\n" + chunked + chunked,
		"an encoding of HTTP/1.0":     "POST / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n" + chunked,
		"a folded line":               "POST / HTTP/1.1\r\nHost: h\r\nA: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
		"a line folded with a tab":    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\t5\r\n",
		"a carriage return":           "POST / HTTP/1.1\r\nHost: h\r\nA: b\rContent-Length: 5\r\n",
		"a space before the colon":    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 5\r\n",
		"a space before the encoding": "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\nContent-Length: 5\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, s)
			_, err := conn.Write([]byte(head + "\r\n0\r\n\r\n" + smuggled))
			require.NoError(t, err)
			r := bufio.NewReader(conn)
			res := read(t, r)
			require.Equal(t, http.StatusBadRequest, res.StatusCode)
			require.Equal(t, "INVALID_REQUEST", res.Header.Get("X-Error-Code"))
			require.True(t, res.Close)
			rest, _ := io.ReadAll(r) // the server may reset the connection
			require.Empty(t, string(rest))
		})
	}
}

// The rule holds for headers that arrive in pieces, larger than a buffer, and on a used connection.
func TestAmbiguousFramingIsFoundInPieces(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: patience})
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	long := "A: " + strings.Repeat("x", 6<<10) + "\r\n"
	for _, head := range []string{"Content-Length: 1\r\n" + long, long + "Content-Length: 1\r\n"} {
		_, err := conn.Write([]byte("POST /a HTTP/1.1\r\nHost: h\r\n" + head + "\r\nx"))
		require.NoError(t, err)
		res := read(t, r)
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.False(t, res.Close)
	}
	for _, piece := range []string{"POST / HTTP/1.1\r\nHost: h\r\nContent-Le", "ngth: 1\r\n" + long + "Transfer-Enco", "ding: chunked\r", "\n\r\n0\r\n\r\n"} {
		_, err := conn.Write([]byte(piece))
		require.NoError(t, err)
	}
	res := read(t, r)
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
	require.True(t, res.Close)
}

// net/http skips up to four line breaks before a request that follows a POST.
func TestAmbiguousFramingIsFoundAfterEmptyLines(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: patience})
	const both = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
	const old = "POST / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n"
	for _, head := range []string{"\r\n\r\n" + both, "\n\n\n\n" + both, "\r\n" + old, "\r\r\r\n" + old} {
		conn := dial(t, s)
		r := bufio.NewReader(conn)
		_, err := conn.Write([]byte("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx"))
		require.NoError(t, err)
		require.False(t, read(t, r).Close)
		_, err = conn.Write([]byte(head + "\r\n0\r\n\r\n" + smuggled))
		require.NoError(t, err)
		res := read(t, r)
		require.Equal(t, http.StatusBadRequest, res.StatusCode, "%q", head)
		require.True(t, res.Close)
		require.Contains(t, body(t, res), "Transfer-Encoding")
	}
}

// A request that arrives together with the previous one is the last of its connection, because its
// headers cannot be told from the previous body.
func TestAPipelinedRequestIsTheLast(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: patience})
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	first := "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
	second := "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	_, err := conn.Write([]byte(first + second + smuggled))
	require.NoError(t, err)
	require.Equal(t, "served /a", body(t, read(t, r)))
	require.True(t, read(t, r).Close)
	rest, _ := io.ReadAll(r) // the server may reset the connection
	require.Empty(t, string(rest))
}

func TestChunkedRequestsKeepTheConnection(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: time.Minute})
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	for range 3 {
		_, err := conn.Write([]byte("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"))
		require.NoError(t, err)
		require.False(t, read(t, r).Close)
	}
}
