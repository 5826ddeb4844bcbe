package upstream

import (
	"bufio"
	"compress/zlib"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
)

const (
	// maxEncodings limits how many encodings are nested.
	maxEncodings = 2
	// maxRatio and ratioAllowance limit a decoded body to ratioAllowance plus maxRatio bytes per
	// received byte. Real responses are compressed by a factor of 3 to 50.
	maxRatio       = 256
	ratioAllowance = 4 << 20
	// maxWindow limits the memory of a zstd decoder. The limit of the br and gzip formats is
	// lower.
	maxWindow = 8 << 20
)

// decodeBody replaces the body of a compressed response with a decoded one. Requests ask for no
// compression, but some upstreams and balancers compress anyway. It fails if an encoding is
// unknown.
func (c *Client) decodeBody(response *egress.HTTPResponse) error {
	all := response.Header.Get(headerContentEncoding)
	if all == "" {
		return nil
	}
	names := strings.Split(strings.ToLower(all), ",")
	if len(names) > maxEncodings {
		return c.encodingError("too many content encodings")
	}
	for i := len(names) - 1; i >= 0; i-- {
		name := strings.TrimSpace(names[i])
		if name == "" || name == "identity" {
			continue
		}
		open, ok := decoders[name]
		if !ok {
			return c.encodingError("an unknown content encoding")
		}
		response.Body = &decodedBody{source: countingReader{ReadCloser: response.Body}, open: open, name: name, client: c}
	}
	return nil
}

func (c *Client) encodingError(what string) error {
	return c.InvalidResponse("encoding", "sent a response with "+what)
}

// decoders open the content encodings of HTTP. They read only what they need for the next
// output, so that a stream is not delayed.
var decoders = map[string]func(r io.Reader) (io.Reader, error){
	"gzip":    openGzip,
	"x-gzip":  openGzip,
	"deflate": openDeflate,
	"br":      func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	"zstd": func(r io.Reader) (io.Reader, error) {
		// With a concurrency of 1 the decoder starts no goroutines and needs no Close.
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	},
}

func openGzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

// openDeflate accepts the zlib format, which HTTP requires, and raw deflate, which some
// servers send.
func openDeflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(2)
	if err != nil {
		return nil, err
	}
	const deflateMethod = 8
	if head[0]&0x0f == deflateMethod && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}
