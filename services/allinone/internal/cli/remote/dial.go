package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// withConnection connects to the service, runs work and explains its error.
func (o *Command) withConnection(ctx context.Context, work func(conn grpc.ClientConnInterface) error) (err error) {
	if o.usesToken() {
		client := newAPIHTTPClient()
		defer client.CloseIdleConnections()
		return o.explainError(work(&apiConn{o, client}))
	}
	conn, err := o.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return o.explainError(work(conn))
}

func (o *Command) dial(ctx context.Context) (*grpc.ClientConn, error) {
	if o.server == "" {
		return o.dialSocket(ctx)
	}
	if _, _, err := net.SplitHostPort(o.server); err != nil {
		return nil, fmt.Errorf("--server=%q: must be HOST:PORT, such as 127.0.0.1:7002", o.server)
	}
	identity, err := o.peers.Identity(health.New(), certs.Operator, o.server)
	if err != nil {
		return nil, err
	}
	return rpc.Dial(o.server, rpc.ClientConfig{Identity: identity, Peer: o.service.role, Timeout: CallTimeout})
}

func (o *Command) dialSocket(ctx context.Context) (*grpc.ClientConn, error) {
	path, err := filepath.Abs(o.service.socket(o.data))
	if err != nil {
		return nil, fmt.Errorf("--data=%q: %w", o.data, err)
	}
	conn, err := rpc.DialLocal(ctx, path, rpc.ClientConfig{Timeout: CallTimeout})
	switch {
	case errors.Is(err, rpc.ErrNoServer):
		return nil, &cli.UnreachableError{Text: "no running signalbox uses the data directory " + filepath.Dir(path) +
			": start one, use --data to choose another directory, or use --server to reach the " + o.service.name + " of a split deployment"}
	case err != nil:
		return nil, &cli.UnreachableError{Text: fmt.Sprintf("cannot use the socket %s: %v", path, err)}
	}
	return conn, nil
}
