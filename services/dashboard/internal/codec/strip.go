package codec

import (
	"google.golang.org/protobuf/encoding/protowire"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// Strip takes the content out of an encoded record and leaves all else as it
// is, whatever schema that is of: a field keeps its number for ever. What
// follows damage goes as well, as nobody can tell what it is.
func Strip(raw []byte) []byte {
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
