package allinone

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/pkg/rpc"
)

const (
	// socketName is where the command line finds the key service.
	socketName = "keyauth.sock"
	// addressName is where it finds how people reach this process.
	addressName = "address"
)

// SocketPath is the key service's socket of the process that runs on a data
// directory. Whoever may open it is the operator.
func SocketPath(data string) string { return filepath.Join(data, socketName) }

// Address is how people reach the process that runs on a data directory, or
// empty when none does.
func Address(data string) string {
	b, _ := os.ReadFile(filepath.Join(data, addressName))
	return strings.TrimSpace(string(b))
}

// withSocket adds the operator's socket to a service's own network. Nothing but
// the command line needs it, so a place where it cannot be is no reason not to
// serve.
func (p *whole) withSocket(ctx context.Context, own net.Listener) net.Listener {
	path := SocketPath(p.cfg.Data)
	lis, err := rpc.ListenLocal(ctx, path)
	if err != nil {
		p.telemetry.Log.WarnContext(ctx, "the command line cannot reach this process; --data may name a shorter path", "socket", path, "error", err)
		return own
	}
	both := rpc.Join(own, lis)
	p.closers = append(p.closers, closeQuietly(both))
	return both
}

// tellAddress is for links that the command line makes.
func (p *whole) tellAddress() error {
	path := filepath.Join(p.cfg.Data, addressName)
	if err := os.WriteFile(path, []byte(p.publicURL()+"\n"), 0o600); err != nil {
		return err
	}
	p.closers = append(p.closers, func() error { return os.Remove(path) })
	return nil
}
