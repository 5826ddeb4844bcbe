package rpc

import (
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// Message encodes and decodes its own protobuf form. It can replace a generated message,
// because the bytes on the wire are the same.
type Message interface {
	// AppendMessage appends the encoded message to dst.
	AppendMessage(dst []byte) []byte
	// ReadMessage decodes a message.
	ReadMessage(message string) error
}

// Codec returns the protobuf codec with support for Message. All servers and connections
// of this package use it.
func Codec() encoding.CodecV2 { return codec{encoding.GetCodecV2(proto.Name)} }

type codec struct{ encoding.CodecV2 }

var bufferPool = sync.Pool{New: func() any { return new([]byte) }}

// Marshal returns the wire format of v.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(Message)
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	scratch := bufferPool.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
	defer bufferPool.Put(scratch)
	*scratch = m.AppendMessage((*scratch)[:0])
	return mem.BufferSlice{mem.Copy(*scratch, mem.DefaultBufferPool())}, nil
}

// Unmarshal decodes the wire format of v.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(Message)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	buf := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buf.Free()
	return m.ReadMessage(string(buf.ReadOnlyData()))
}
