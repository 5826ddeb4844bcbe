package e2e

import (
	"bytes"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// collector receives traces and metrics and stores the raw messages.
type collector struct {
	url string

	mu  sync.Mutex
	all bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &collector{url: "http://" + lis.Addr().String()}
	srv := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler(c.take))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(lis)
	}()
	t.Cleanup(func() {
		srv.Stop()
		<-done
	})
	return c
}

func (c *collector) take(_ any, s grpc.ServerStream) error {
	var message []byte
	if err := s.RecvMsg(&message); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Write(message)
	return s.SendMsg(&[]byte{})
}

func (c *collector) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all.String()
}

// raw is a codec that does not decode messages.
type raw struct{}

var _ encoding.CodecV2 = raw{}

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil //nolint:forcetypeassert // only collector sends
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize() //nolint:forcetypeassert // only collector receives
	return nil
}

func (raw) Name() string { return "proto" }
