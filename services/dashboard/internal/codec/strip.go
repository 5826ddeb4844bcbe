package codec

import (
	"google.golang.org/protobuf/encoding/protowire"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// StripContent removes the content from an encoded record and copies all other
// fields unchanged. It works for any schema, because field numbers never change.
// It drops a damaged field and everything after it.
func StripContent(raw []byte) []byte {
	content := (*recordv1.RequestRecord)(nil).ProtoReflect().Descriptor().Fields().ByName("content").Number()
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		number, _, n := protowire.ConsumeField(raw)
		if n < 0 {
			break
		}
		if number != content {
			out = append(out, raw[:n]...)
		}
		raw = raw[n:]
	}
	return out
}
