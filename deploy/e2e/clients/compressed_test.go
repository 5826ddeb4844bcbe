package clients

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// compressor is a compressing writer.
type compressor interface {
	io.WriteCloser
	Flush() error
}

// compressors are the encodings that some upstreams use although no client asked for one.
var compressors = map[string]func(w io.Writer) compressor{
	"gzip": func(w io.Writer) compressor { return gzip.NewWriter(w) },
	"br":   func(w io.Writer) compressor { return brotli.NewWriter(w) },
	"zstd": func(w io.Writer) compressor {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // these options are valid
		return z
	},
}

// compressedCases returns a plain response and a stream in every encoding.
func compressedCases() []testCase {
	var all []testCase
	for _, name := range []string{"gzip", "br", "zstd"} {
		all = slices.Concat(all, forEachKind(testCase{
			name: "compressed with " + name, want: hello, plain: compress(plainResponse(helloMessage, "stop"), name),
			stream: compress(stream(`{"content":"Hello "}`, `{"content":"from upstream"}`), name),
		}, "chat", "stream", "helper"))
	}
	return all
}

// compress returns a compressed response. It flushes every piece, as a server that streams does.
func compress(a scripted.Response, encoding string) scripted.Response {
	var buf bytes.Buffer
	w := compressors[encoding](&buf)
	pieces := make([]scripted.Piece, len(a.Pieces))
	for i, p := range a.Pieces {
		_, _ = io.WriteString(w, p.Data) // writing to a buffer never fails
		_ = w.Flush()
		if i == len(a.Pieces)-1 {
			_ = w.Close()
		}
		pieces[i].Data = buf.String()
		buf.Reset()
	}
	a.Pieces = pieces
	return a.WithHeader("Content-Encoding", encoding)
}
