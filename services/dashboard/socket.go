package dashboard

import (
	"context"
	"net"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/services/dashboard/internal/web"
)

// AccountHeader names the account of a request by the operator's socket.
const AccountHeader = web.AccountHeader

// SocketPath is where the command line reaches the dashboard that runs on a
// data directory. Whoever may open it is the operator.
func SocketPath(data string) string { return filepath.Join(data, "dashboard.sock") }

// operatorTasks serve the operator's socket. Nothing but the command line needs
// it, so a place where it cannot be is no reason not to run.
func (s *Service) operatorTasks(ctx context.Context) []lifecycle.Task {
	lis, err := listenOperator(ctx, s.cfg.Data)
	if err != nil {
		s.deps.Log.WarnContext(ctx, "the command line cannot reach this process by its socket", "socket", SocketPath(s.cfg.Data), "error", err)
		return nil
	}
	return []lifecycle.Task{{Name: "operator", Run: func(ctx context.Context) error {
		return httpserver.Serve(ctx, lis, httpserver.Config{Handler: s.operator, Log: s.deps.Log, Limit: drainLimit})
	}}}
}

func listenOperator(ctx context.Context, data string) (net.Listener, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	return rpc.ListenLocal(ctx, SocketPath(data))
}
