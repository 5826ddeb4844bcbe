package control

import (
	"fmt"

	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/signalbox/signalbox/pkg/decidepb"
)

// streamCodec is the codec of the decision stream. It sends questions, which are already encoded, and
// decodes responses with decidepb. The bytes are those of the usual codec, so the router does not see
// a difference.
type streamCodec struct{}

// Name returns the name of the usual codec.
func (streamCodec) Name() string { return proto.Name }

// Marshal returns the bytes of a question.
func (streamCodec) Marshal(v any) (mem.BufferSlice, error) {
	q, ok := v.(question)
	if !ok {
		return nil, fmt.Errorf("cannot encode a %T", v)
	}
	return q.moveToBuffers(), nil
}

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
