package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/router"
)

// callTimeout is the timeout of one call. It is long, so that even a busy service can respond in time.
const callTimeout = 30 * time.Second

// calledService describes a service that commands call.
type calledService struct {
	name, role string
	socket     func(data string) string
}

var (
	keyauthService = calledService{"keyauth service", certs.Keyauth, keyauth.SocketPath}
	routerService  = calledService{"router", certs.Router, router.SocketPath}
)

// operatorCommand is a command that calls a running service: the router for policy
// commands, otherwise keyauth. It connects to the socket in the data directory, or to
// --server with a certificate. Commands never open the stores.
type operatorCommand struct {
	invocation
	service calledService
	set     *config.Set
	peers   process.Peers
	// data or server locates the service. publicURL is the dashboard URL for links.
	data, server, publicURL string
	// account is the value of --account.
	account   string
	json, yes bool
	accounts  keyauthv1.AccountServiceClient
}

func newOperatorCommand(c invocation) *operatorCommand {
	o := &operatorCommand{invocation: c, service: keyauthService, set: config.New()}
	o.set.FlagsOnly(true)
	return o
}

// addAccountFlag adds --account. usage describes what the command does without the flag.
func (o *operatorCommand) addAccountFlag(usage string) {
	o.set.Func("account", `account id, start of the id, or name; "operator" means the operator's account; `+usage, nonEmpty(&o.account))
}

func (o *operatorCommand) runWithService(ctx context.Context, work func() error) error {
	o.addCommonFlags("data directory of the signalbox or keyauth that runs on this machine")
	o.set.Func("public-url", "dashboard URL for links; default: the URL of the running signalbox, else "+defaultDashboardURL, parseOrigin(&o.publicURL))
	if err := o.set.Load(o.args, o.environ); err != nil {
		return err
	}
	return o.withConnection(ctx, work)
}

// addCommonFlags adds --json and the flags that locate the service. data describes the --data flag.
func (o *operatorCommand) addCommonFlags(data string) {
	o.set.Bool(&o.json, "json", false, "print JSON")
	o.set.FlagsOnly(false)
	o.set.String(&o.data, "data", "./data", data)
	o.set.Func("server", "HOST:PORT of the "+o.service.name+" in a split deployment, instead of --data", nonEmpty(&o.server))
	o.peers.Register(o.set)
}

// withConnection connects to the service, runs work and explains its error.
func (o *operatorCommand) withConnection(ctx context.Context, work func() error) (err error) {
	conn, err := o.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	o.accounts = keyauthv1.NewAccountServiceClient(conn)
	return o.explainError(work())
}

func (o *operatorCommand) dial(ctx context.Context) (*grpc.ClientConn, error) {
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
	return rpc.Dial(o.server, rpc.ClientConfig{Identity: identity, Peer: o.service.role, Timeout: callTimeout})
}

func (o *operatorCommand) dialSocket(ctx context.Context) (*grpc.ClientConn, error) {
	path, err := filepath.Abs(o.service.socket(o.data))
	if err != nil {
		return nil, fmt.Errorf("--data=%q: %w", o.data, err)
	}
	conn, err := rpc.DialLocal(ctx, path, rpc.ClientConfig{Timeout: callTimeout})
	switch {
	case errors.Is(err, rpc.ErrNoServer):
		return nil, &unreachableError{"no running signalbox uses the data directory " + filepath.Dir(path) +
			": start one, use --data to choose another directory, or use --server to reach the " + o.service.name + " of a split deployment"}
	case err != nil:
		return nil, &unreachableError{fmt.Sprintf("cannot use the socket %s: %v", path, err)}
	}
	return conn, nil
}
