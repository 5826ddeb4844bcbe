package egress

import (
	"bufio"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// heads are seeds: some are parsed here, others by net/http.
var heads = map[bool][]string{
	true: {
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 \r\ncontent-length:0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX-Empty:\r\nX-Id: \ta b \t\r\nx-id: second\r\nTRANSFER-ENCODING: Chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 00012\r\nSet-Cookie: a=\"b\"; \xe2\x82\xac\r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
	},
	false: {
		"", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
		"HTTP/1.1 200 OK\r\n\r\nto the end",
		"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 429 Too Many\r\nContent-Length: 1\r\n\r\nx",
		"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\nhello",
		"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\n X: a\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nX : a\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nX: \x7f\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\n: no name\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chun\u212aed\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTrailer: X\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: Upgrade, close\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", readBuffer) + "\r\nContent-Length: 5\r\n\r\nhello",
	},
}

func TestHeadsThatAreReadHere(t *testing.T) {
	for want, texts := range heads {
		for _, text := range texts {
			for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
				r := bufio.NewReaderSize(in, readBuffer)
				_, got := parseSimpleHead(r, nil)
				require.Equal(t, want, got, "%q", text)
				if rest, err := io.ReadAll(r); !got {
					require.NoError(t, err)
					require.Equal(t, text, string(rest), "nothing was consumed")
				}
			}
			sameHead(t, text)
		}
	}
}

// A head that is parsed here gives the same result as net/http.
func FuzzHead(f *testing.F) {
	for _, texts := range heads {
		for _, text := range texts {
			f.Add(text)
		}
	}
	f.Fuzz(sameHead)
}

func sameHead(t *testing.T, text string) {
	ours, theirs := bufio.NewReaderSize(strings.NewReader(text), readBuffer), bufio.NewReader(strings.NewReader(text))
	resp, err := http.ReadResponse(theirs, nil)
	wanted := []string{"Not-There"}
	if err == nil {
		wanted = slices.AppendSeq(wanted, maps.Keys(resp.Header))
	}
	got, ok := parseSimpleHead(ours, wanted)
	if !ok {
		return
	}
	require.NoError(t, err)
	want := toHead(resp)
	want.header = got.header
	require.Equal(t, want, got)
	for name, values := range resp.Header {
		v, ok := got.header.Lookup(name)
		require.True(t, ok, name)
		require.Equal(t, values[0], v, name)
	}
	_, ok = got.header.Lookup("Not-There")
	require.Equal(t, len(resp.Header["Not-There"]) > 0, ok)
	rest, err := io.ReadAll(ours)
	require.NoError(t, err)
	behind, err := io.ReadAll(theirs)
	require.NoError(t, err)
	require.Equal(t, string(behind), string(rest))
}

// Parsing must not wait for bytes after the end of the head, however the end is written.
func TestHeadEndsWhereItEnds(t *testing.T) {
	for _, text := range []string{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 5\n\n"} {
		in, out := io.Pipe()
		go func() { _, _ = io.WriteString(out, text) }()
		c := &conn{r: bufio.NewReader(in)}
		h, err := c.readHead(nil)
		require.NoError(t, err)
		require.EqualValues(t, 5, h.length)
		require.Zero(t, c.r.Buffered())
	}
}

// A read error that the system reports once is returned to every later read.
func TestReadingFailsForGood(t *testing.T) {
	c := newConn(nil, "", nil)
	c.startCall()
	defer c.releaseReader()
	c.readErr = io.ErrClosedPipe
	_, err := c.readHead(nil)
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

// A head is parsed for every call, and only its wanted lines are stored.
func TestPlainHeadAllocatesOnce(t *testing.T) {
	const text = "HTTP/1.1 200 OK\r\nX-Request-Id: one\r\nX-Other: two\r\nContent-Length: 5\r\n\r\nhello"
	in := strings.NewReader(text)
	r := bufio.NewReader(in)
	wanted := []string{"Content-Type", "X-Request-Id"}
	require.EqualValues(t, 1, testing.AllocsPerRun(100, func() {
		in.Reset(text)
		r.Reset(in)
		h, ok := parseSimpleHead(r, wanted)
		if !ok || h.header.Get("X-Request-Id") != "one" || h.header.Get("X-Other") != "" {
			t.Error("not what was said")
		}
	}))
}
