package store

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
	// minCompressBytes is the smallest content that compress tries to compress. Smaller
	// content would hardly shrink.
	minCompressBytes = 256
	// compressWindow is the zstd window in bytes. It covers the whole content of
	// almost all requests.
	compressWindow = 256 << 10
	// maxDecompressed limits the memory for decompressing damaged content, in bytes.
	maxDecompressed = 1 << 20
)

// compressor compresses content with zstd, because the database's own compression
// needs much more CPU. A compressor is safe for concurrent use.
type compressor struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func newCompressor() (*compressor, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(compressWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("create encoder: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxDecompressed))
	if err != nil {
		return nil, fmt.Errorf("create decoder: %w", err)
	}
	return &compressor{encoder, decoder}, nil
}

func (p *compressor) close() { p.decoder.Close() }

// storedContent is content in its stored form. If the content is compressed,
// request is one zstd frame and response is empty. The frame contains the length
// of the request, the request, and the response. One frame is faster and smaller
// than two.
type storedContent struct {
	request, response []byte
	encoding          int64
}

func (p *compressor) compress(c *record.Content) storedContent {
	size := len(c.Request) + len(c.Response)
	if size >= minCompressBytes {
		both := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+size), uint64(len(c.Request)))
		both = append(append(both, c.Request...), c.Response...)
		if out := p.encoder.EncodeAll(both, make([]byte, 0, size)); len(out) < size {
			return storedContent{out, []byte{}, encodingZstd}
		}
	}
	return storedContent{nonNil(c.Request), nonNil(c.Response), encodingPlain}
}

// decompress restores content in place after it was read.
func (p *compressor) decompress(c *record.Content, encoding int64) error {
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
