package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// How content is written.
const (
	plain  = 0
	zipped = 1
)

const (
	// packFrom is the length from which on compressing gains anything.
	packFrom = 256
	// packWindow is how far back a text may repeat itself: as far as the
	// content of all but a few requests goes.
	packWindow = 256 << 10
	// maxUnpacked bounds what stored bytes may become.
	maxUnpacked = 1 << 20
)

// packer compresses content, as the database would do it at many times the
// price. It is safe for concurrent use.
type packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func newPacker() (*packer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(packWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("make the encoder: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err != nil {
		return nil, fmt.Errorf("make the decoder: %w", err)
	}
	return &packer{encoder, decoder}, nil
}

func (p *packer) close() { p.decoder.Close() }

// packed is content as it is stored. Both parts are compressed together, behind
// the length of the first: that takes less time and less room.
type packed struct {
	request, response []byte
	encoding          int64
}

func (p *packer) pack(c *record.Content) packed {
	size := len(c.Request) + len(c.Response)
	if size >= packFrom {
		both := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+size), uint64(len(c.Request)))
		both = append(append(both, c.Request...), c.Response...)
		if out := p.encoder.EncodeAll(both, make([]byte, 0, size)); len(out) < size {
			return packed{out, []byte{}, zipped}
		}
	}
	return packed{notNil(c.Request), notNil(c.Response), plain}
}

// unpack turns what was read back into content.
func (p *packer) unpack(c *record.Content, encoding int64) error {
	switch encoding {
	case plain:
		return nil
	case zipped:
	default:
		return fmt.Errorf("content is written in a way that is not known: %d", encoding)
	}
	both, err := p.decoder.DecodeAll(c.Request, nil)
	if err != nil {
		return fmt.Errorf("unpack content: %w", err)
	}
	length, n := binary.Uvarint(both)
	if n <= 0 || length > uint64(len(both)-n) {
		return errors.New("unpack content: the length is wrong")
	}
	c.Request, c.Response = both[n:n+int(length):n+int(length)], both[n+int(length):]
	return nil
}
