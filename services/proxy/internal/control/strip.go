package control

import (
	"google.golang.org/protobuf/encoding/protowire"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// Numbers of the fields that Strip deals with.
const (
	contentField = 34
	captureField = 39
)

// Strip returns an encoded record without its content, marked so, and whether
// it had any. It does not decode the rest: fields of a later build stay as they
// are. What cannot be read is left alone.
func Strip(record []byte) (bare []byte, had bool) {
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
