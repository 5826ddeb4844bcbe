package keyauth

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/rpc"
)

// SocketPath returns the path of the socket through which the command line reaches
// the service that uses the data directory. Every caller on this socket has the
// operator's permissions.
func SocketPath(data string) string { return filepath.Join(data, "keyauth.sock") }

// addOperatorSocket adds the operator socket to the listener of the service.
// Only the command line needs the socket, so a failure to create it does not
// prevent the start.
func addOperatorSocket(ctx context.Context, data string, own net.Listener, log *slog.Logger) net.Listener {
	path := SocketPath(data)
	lis, err := rpc.ListenLocal(ctx, path)
	if err != nil {
		log.WarnContext(ctx, "operator socket unavailable, the command line cannot reach this process", "socket", path, "error", err)
		return own
	}
	return rpc.JoinListeners(own, lis)
}
