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

// callLimit is for one call: a busy service is given time.
const callLimit = 30 * time.Second

// peer is a service that commands ask.
type peer struct {
	name, role string
	socket     func(data string) string
}

var (
	theKeyService = peer{"key service", certs.Keyauth, keyauth.SocketPath}
	theRouter     = peer{"router", certs.Router, router.SocketPath}
)

// operator is a command that asks a running service, the key service if not
// another. It is reached by its socket in the data directory, or by its address
// and a certificate; never is the store opened behind its back.
type operator struct {
	call
	to    peer
	set   *config.Set
	peers process.Peers
	// data or server is where the service is; public is how people reach it.
	data, server, public string
	// account is what --account says.
	account   string
	json, yes bool
	accounts  keyauthv1.AccountServiceClient
}

func newOperator(c call) *operator {
	o := &operator{call: c, to: theKeyService, set: config.New()}
	o.set.FlagsOnly(true)
	return o
}

// inAccount adds the flag that names an account.
func (o *operator) inAccount(usage string) {
	o.set.Func("account", "id, beginning of it, or name of an account, operator for the operator's; "+usage, given(&o.account))
}

// with reads the flags, reaches the service, and does the work.
func (o *operator) with(ctx context.Context, work func() error) error {
	o.place("data directory of the signalbox or keyauth that runs here")
	o.set.Func("public-url", "address of the dashboard, for links; by default that of the signalbox that runs here, else "+dashboardURL, origin(&o.public))
	if err := o.set.Load(o.args, o.environ); err != nil {
		return err
	}
	return o.connected(ctx, work)
}

// place adds the flags that say where the services are.
func (o *operator) place(data string) {
	o.set.Bool(&o.json, "json", false, "print JSON")
	o.set.FlagsOnly(false)
	o.set.String(&o.data, "data", "./data", data)
	o.set.Func("server", "HOST:PORT of the "+o.to.name+" of the split shape, instead of --data", given(&o.server))
	o.peers.Register(o.set)
}

// connected does the work with a connection to the key service.
func (o *operator) connected(ctx context.Context, work func() error) (err error) {
	conn, err := o.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	o.accounts = keyauthv1.NewAccountServiceClient(conn)
	return o.explain(work())
}

func (o *operator) dial(ctx context.Context) (*grpc.ClientConn, error) {
	if o.server == "" {
		return o.dialSocket(ctx)
	}
	if _, _, err := net.SplitHostPort(o.server); err != nil {
		return nil, fmt.Errorf("--server=%q: want HOST:PORT", o.server)
	}
	identity, err := o.peers.Identity(health.New(), certs.Operator, o.server)
	if err != nil {
		return nil, err
	}
	return rpc.Dial(o.server, rpc.ClientConfig{Identity: identity, Peer: o.to.role, Timeout: callLimit})
}

func (o *operator) dialSocket(ctx context.Context) (*grpc.ClientConn, error) {
	path, err := filepath.Abs(o.to.socket(o.data))
	if err != nil {
		return nil, fmt.Errorf("--data=%q: %w", o.data, err)
	}
	conn, err := rpc.DialLocal(ctx, path, rpc.ClientConfig{Timeout: callLimit})
	switch {
	case errors.Is(err, rpc.ErrNobody):
		return nil, &unreachable{"no signalbox is running on the data directory " + filepath.Dir(path) +
			": start it, name another by --data, or the " + o.to.name + " of the split shape by --server"}
	case err != nil:
		return nil, &unreachable{fmt.Sprintf("cannot use the socket %s: %v", path, err)}
	}
	return conn, nil
}
