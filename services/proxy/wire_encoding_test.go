package proxy_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// flusher is a compressing writer.
type flusher interface {
	io.WriteCloser
	Flush() error
}

var encoders = map[string]func(w io.Writer) flusher{
	"gzip":    func(w io.Writer) flusher { return gzip.NewWriter(w) },
	"x-gzip":  func(w io.Writer) flusher { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) flusher { return zlib.NewWriter(w) },
	"Deflate": func(w io.Writer) flusher { f, _ := flate.NewWriter(w, 6); return f },
	"br":      func(w io.Writer) flusher { return brotli.NewWriter(w) },
	"zstd":    func(w io.Writer) flusher { z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); return z },
}

// encode compresses a response. Each piece is flushed, as a server does that streams.
func encode(t *testing.T, a scripted.Response, name string) scripted.Response {
	var buf bytes.Buffer
	w := encoders[name](&buf)
	pieces := make([]scripted.Piece, len(a.Pieces))
	for i, p := range a.Pieces {
		_, err := io.WriteString(w, p.Data)
		require.NoError(t, err)
		require.NoError(t, w.Flush())
		if i == len(a.Pieces)-1 {
			require.NoError(t, w.Close())
		}
		pieces[i].Data = buf.String()
		buf.Reset()
	}
	a.Pieces = pieces
	return a.WithHeader("Content-Encoding", name)
}

// Some upstreams compress although the proxy asks for no compression.
func TestWireUnaskedCompression(t *testing.T) {
	w := newWire(t)
	events := scripted.Events(chunk(`{"role":"assistant","content":"a"}`, "null"), stop, `{"choices":[],`+usageIn+`}`, "[DONE]")
	for name := range encoders {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			body := encode(t, scripted.JSON(200, `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],`+usageIn+`}`), name)
			for _, give := range []scripted.Response{body, body.Bytewise()} {
				a := w.told(give, plain(""))
				require.Equal(t, http.StatusOK, a.status, a.body)
				require.Contains(t, a.body, `"content":"a"`)
				require.EqualValues(t, 3, a.record.GetTokens().GetOutput())
			}
			for _, give := range []scripted.Response{encode(t, events, name), encode(t, events, name).Bytewise(), encode(t, events, name).WithHeader("Content-Type", "text/plain")} {
				a := w.told(give, stream(""))
				require.Equal(t, delta(`{"role":"assistant","content":"a"}`, "null")+delta(`{}`, `"stop"`)+done, a.body)
				require.EqualValues(t, 3, a.record.GetTokens().GetOutput())
			}
			a := w.told(encode(t, scripted.JSON(400, `{"error":{"message":"tools[0] is odd"}}`), name), plain(""))
			a.refused(t, 400, "PROVIDER_BAD_REQUEST")
			require.Contains(t, a.body, "tools[0] is odd")

			cut := encode(t, scripted.JSON(200, `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`), name)
			a = w.told(cut.CutAt(len(cut.Body())/2, scripted.Whole), plain(""))
			a.refused(t, 502, "PROVIDER_INVALID_RESPONSE")
		})
	}
	a := w.told(encode(t, encode(t, scripted.JSON(200, `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`), "br"), "gzip").WithHeader("Content-Encoding", "br, gzip"), plain(""))
	require.Equal(t, http.StatusOK, a.status, a.body)
}

// An event of a compressed stream reaches the client before the next one.
func TestWireCompressedStreamsAreNotDelayed(t *testing.T) {
	w := newWire(t)
	for name := range encoders {
		give := encode(t, scripted.Events(chunk(`{"role":"assistant","content":"a"}`, "null"), chunk(`{"content":"b"}`, "null"), stop), name)
		w.waitsForNothing(give.First(2, scripted.Hang))
	}
}

// A small body that would become huge is refused.
func TestWireDecompressionBombs(t *testing.T) {
	up := scriptedtest.New(t, scriptedtest.OpenAI)
	// With the race detector on a busy machine, decoding takes longer than the usual timeouts.
	patient := strings.NewReplacer("20s", "5m", "30s", "5m").Replace(fmt.Sprintf(wirePolicy, up.URL))
	w := &wire{rig: newRigOf(t, patient), up: up}
	zeros := strings.Repeat(" ", 12<<20)
	for name := range encoders {
		bomb := encode(t, scripted.JSON(200, `{"choices":[`+zeros+`]}`), name)
		require.Less(t, len(bomb.Body()), 64<<10)
		a := w.told(bomb, plain(""))
		a.refused(t, 502, "PROVIDER_INVALID_RESPONSE")
		require.Contains(t, a.body, "256 times as long")
	}
	// A stream is decoded by the same reader, so one encoding is enough.
	bomb := encode(t, scripted.Stream(strings.ReplaceAll(zeros, "    ", ": \n\n")), "zstd")
	a := w.told(bomb, stream(""))
	a.refused(t, 502, "PROVIDER_INVALID_RESPONSE")
	require.Contains(t, a.body, "256 times as long")
}
