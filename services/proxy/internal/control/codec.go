package control

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/signalbox/signalbox/pkg/decidepb"
)

// streamCodec is the usual codec, except that it decodes the responses of the decision stream with
// decidepb. The bytes are the same, so the router does not see a difference.
type streamCodec struct{ encoding.CodecV2 }

func newStreamCodec() streamCodec { return streamCodec{encoding.GetCodecV2(proto.Name)} }

// Unmarshal decodes a response.
func (streamCodec) Unmarshal(data mem.BufferSlice, v any) error {
	r, ok := v.(*decidepb.StreamResponse)
	if !ok {
		return fmt.Errorf("cannot decode a %T", v)
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	return r.Decode(string(buffer.ReadOnlyData()))
}
