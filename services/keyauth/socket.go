package keyauth

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/rpc"
)

// SocketPath is where the command line reaches the service that runs on a data
// directory. Whoever may open it is the operator.
func SocketPath(data string) string { return filepath.Join(data, "keyauth.sock") }

// withSocket adds the operator's socket to the service's own network. Nothing
// but the command line needs it, so a place where it cannot be is no reason not
// to serve.
func withSocket(ctx context.Context, data string, own net.Listener, log *slog.Logger) net.Listener {
	path := SocketPath(data)
	lis, err := rpc.ListenLocal(ctx, path)
	if err != nil {
		log.WarnContext(ctx, "the command line cannot reach this process by its socket", "socket", path, "error", err)
		return own
	}
	return rpc.Join(own, lis)
}
