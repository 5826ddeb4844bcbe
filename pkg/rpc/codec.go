package rpc

import (
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// Message writes and reads its protobuf form by itself. It may be sent and
// received in the place of a generated one: on the wire there is no difference.
type Message interface {
	// AppendMessage writes it behind dst.
	AppendMessage(dst []byte) []byte
	// ReadMessage takes what was written.
	ReadMessage(message string) error
}

// Codec is protobuf, for Messages and all others. Servers and connections of
// this package have it.
func Codec() encoding.CodecV2 { return codec{encoding.GetCodecV2(proto.Name)} }

type codec struct{ encoding.CodecV2 }

var scratches = sync.Pool{New: func() any { return new([]byte) }}

// Marshal returns the wire format of v.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(Message)
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	scratch := scratches.Get().(*[]byte) //nolint:forcetypeassert // nothing else is stored
	defer scratches.Put(scratch)
	*scratch = m.AppendMessage((*scratch)[:0])
	return mem.BufferSlice{mem.Copy(*scratch, mem.DefaultBufferPool())}, nil
}

// Unmarshal takes the wire format of v.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(Message)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	buf := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buf.Free()
	return m.ReadMessage(string(buf.ReadOnlyData()))
}
