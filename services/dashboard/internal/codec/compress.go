package codec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// The encodings of stored content.
const (
	encodingPlain = 0
	encodingZstd  = 1
)

const (
	// minCompressBytes is the smallest content that Compress tries to compress. Smaller
	// content would hardly shrink.
	minCompressBytes = 256
	// compressWindow is the zstd window in bytes. It covers the whole content of
	// almost all requests.
	compressWindow = 256 << 10
	// MaxDecompressed limits the memory for decompressing damaged content, in bytes.
	MaxDecompressed = 1 << 20
)

// Compressor compresses content with zstd, because the database's own compression
// needs much more CPU. A Compressor is safe for concurrent use.
type Compressor struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

// NewCompressor returns a Compressor; Close releases its memory.
func NewCompressor() (*Compressor, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(compressWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("create encoder: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(MaxDecompressed))
	if err != nil {
		return nil, fmt.Errorf("create decoder: %w", err)
	}
	return &Compressor{encoder, decoder}, nil
}

// Close releases the memory of the Compressor.
func (p *Compressor) Close() { p.decoder.Close() }

// StoredContent is content in its stored form. If the content is compressed,
// Request is one zstd frame and Response is empty. The frame contains the length
// of the request, the request, and the response. One frame is faster and smaller
// than two.
type StoredContent struct {
	Request, Response []byte
	Encoding          int64
}

// Compress returns the stored form of content.
func (p *Compressor) Compress(c *record.Content) StoredContent {
	size := len(c.Request) + len(c.Response)
	if size >= minCompressBytes {
		both := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+size), uint64(len(c.Request)))
		both = append(append(both, c.Request...), c.Response...)
		if out := p.encoder.EncodeAll(both, make([]byte, 0, size)); len(out) < size {
			return StoredContent{out, []byte{}, encodingZstd}
		}
	}
	return StoredContent{NonNil(c.Request), NonNil(c.Response), encodingPlain}
}

// Decompress restores content in place after it was read.
func (p *Compressor) Decompress(c *record.Content, encoding int64) error {
	switch encoding {
	case encodingPlain:
		return nil
	case encodingZstd:
	default:
		return fmt.Errorf("decompress content: unknown encoding %d", encoding)
	}
	both, err := p.decoder.DecodeAll(c.Request, nil)
	if err != nil {
		return fmt.Errorf("decompress content: %w", err)
	}
	length, n := binary.Uvarint(both)
	if n <= 0 || length > uint64(len(both)-n) {
		return errors.New("decompress content: invalid length")
	}
	c.Request, c.Response = both[n:n+int(length):n+int(length)], both[n+int(length):]
	return nil
}

// NonNil keeps a nil slice from becoming NULL in the database.
func NonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
