package recordcodec

import (
	"google.golang.org/protobuf/encoding/protowire"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// Field numbers that StripContent uses.
const (
	contentField = 34
	captureField = 39
)

// StripContent returns an encoded record without its content, with the capture "dropped". It does
// not decode the other fields, so unknown fields of a newer version are preserved. If the record
// has no content or cannot be parsed, StripContent returns nil and false.
func StripContent(record []byte) (bare []byte, had bool) {
	bare = make([]byte, 0, len(record))
	for rest := record; len(rest) > 0; {
		field, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return nil, false
		}
		size := protowire.ConsumeFieldValue(field, kind, rest[n:])
		if size < 0 {
			return nil, false
		}
		had = had || field == contentField
		if field != contentField && field != captureField {
			bare = append(bare, rest[:n+size]...)
		}
		rest = rest[n+size:]
	}
	if !had {
		return nil, false
	}
	bare = protowire.AppendTag(bare, captureField, protowire.VarintType)
	return protowire.AppendVarint(bare, uint64(recordv1.Capture_CAPTURE_DROPPED)), true
}
