package rpc

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"
)

const (
	// memoryBuffer is the buffer size of each direction of a connection.
	memoryBuffer = 256 << 10
	// memoryNetwork is the network name of bufconn addresses.
	memoryNetwork = "bufconn"
)

// Memory is a network within the process: one server listens on it and any number of
// clients dial it.
type Memory struct{ lis *bufconn.Listener }

// NewMemory returns an empty network.
func NewMemory() *Memory { return &Memory{lis: bufconn.Listen(memoryBuffer)} }

// Listener returns the listener for the server. The server closes it on shutdown.
func (m *Memory) Listener() net.Listener { return m.lis }

// DialContext opens a connection to the server. It ignores network and address, so that
// an http.Transport can use it.
func (m *Memory) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	return m.lis.DialContext(ctx)
}

// Dial works like the function Dial, over this network.
func (m *Memory) Dial(cfg ClientConfig) (*grpc.ClientConn, error) {
	return dial("passthrough:///memory", cfg, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return m.lis.DialContext(ctx)
	}))
}
