package dashboard

import (
	"context"
	"net"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// AccountHeader selects the account of a request on the operator socket.
const AccountHeader = httpapi.AccountHeader

// SocketPath returns the path of the unix socket through which the command line
// reaches a dashboard with this data directory. File permissions are the only access
// control: every client that can open the socket acts as the operator.
func SocketPath(data string) string { return filepath.Join(data, "dashboard.sock") }

// operatorTasks returns the task that serves the operator socket. Only the
// command line needs the socket, so a failure to create it is logged and not
// fatal.
func (s *Service) operatorTasks(ctx context.Context) []lifecycle.Task {
	lis, err := listenOperatorSocket(ctx, s.cfg.Data)
	if err != nil {
		s.deps.Log.WarnContext(ctx, "operator socket unavailable, the command line cannot reach this process", "socket", SocketPath(s.cfg.Data), "error", err)
		return nil
	}
	return []lifecycle.Task{{Name: "operator", Run: func(ctx context.Context) error {
		return httpserver.Serve(ctx, lis, httpserver.Config{Handler: s.operator, Log: s.deps.Log, DrainLimit: drainTimeout})
	}}}
}

func listenOperatorSocket(ctx context.Context, data string) (net.Listener, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	return rpc.ListenLocal(ctx, SocketPath(data))
}
