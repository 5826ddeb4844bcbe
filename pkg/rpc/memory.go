package rpc

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"
)

const (
	// memoryBuffer is how much may be under way in each direction of a
	// connection.
	memoryBuffer = 256 << 10
	// memoryNetwork is what its addresses say of themselves.
	memoryNetwork = "bufconn"
)

// Memory is a network within the process: one address that a server listens
// on and any number of clients dial.
type Memory struct{ lis *bufconn.Listener }

// NewMemory makes a network with nobody on it.
func NewMemory() *Memory { return &Memory{lis: bufconn.Listen(memoryBuffer)} }

// Listener is for the one server; it is closed when that one stops.
func (m *Memory) Listener() net.Listener { return m.lis }

// Dial is the Dial of this network.
func (m *Memory) Dial(cfg ClientConfig) (*grpc.ClientConn, error) {
	return dial("passthrough:///memory", cfg, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return m.lis.DialContext(ctx)
	}))
}
