package remote

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/router"
)

// CallTimeout is the timeout of one call. It is long, so that even a busy service can respond in time.
const CallTimeout = 30 * time.Second

// calledService describes a service that commands call.
type calledService struct {
	name, role string
	socket     func(data string) string
}

var (
	keyauthService = calledService{"keyauth service", certs.Keyauth, keyauth.SocketPath}
	routerService  = calledService{"router", certs.Router, router.SocketPath}
)

// Command is a command that calls a running service: the router for policy
// commands, otherwise keyauth. It connects to the socket in the data directory, or to
// --server with a certificate. With --server URL and an API token, it calls the dashboard's
// API instead. Commands never open the stores.
type Command struct {
	cli.Invocation
	// Flags holds the flags of this command. The Run methods add those that locate the service.
	Flags *config.Set
	// Account is the value of --account.
	Account string
	// JSON is true if --json is set.
	JSON bool
	// Accounts calls keyauth. It is set while the work of RunWithKeyauth or WithAccounts runs.
	Accounts keyauthv1.AccountServiceClient

	service calledService
	peers   process.Peers
	token   config.Secret
	// data or server locates the service. publicURL is the dashboard URL for links,
	// gatewayURL the URL for clients.
	data, server, publicURL, gatewayURL string
	yes                                 bool
	// located is true if a flag or a variable says where the service is.
	located bool
}

// NewCommand returns a command that calls keyauth.
func NewCommand(c cli.Invocation) *Command { return newCommand(c, keyauthService) }

// NewRouterCommand returns a command that calls the router.
func NewRouterCommand(c cli.Invocation) *Command { return newCommand(c, routerService) }

func newCommand(c cli.Invocation, service calledService) *Command {
	o := &Command{Invocation: c, service: service, Flags: config.New()}
	o.Flags.FlagsOnly(true)
	return o
}

// PrintResult prints v as JSON if --json is set. Otherwise it prints the rows as a table.
func (o *Command) PrintResult(v any, rows ...[]string) error {
	return o.Invocation.PrintResult(o.JSON, v, rows...)
}

// AddAccountFlag adds --account. usage describes what the command does without the flag.
func (o *Command) AddAccountFlag(usage string) {
	o.Flags.Func("account", `account id, start of the id, or name; "operator" means the operator's account; `+usage, cli.NonEmpty(&o.Account))
}

// AddServerFlag adds another name for --server, which services use for the same address.
func (o *Command) AddServerFlag(name, usage string) {
	o.Flags.FlagsOnly(false)
	o.Flags.Func(name, usage, cli.NonEmpty(&o.server))
	o.Flags.FlagsOnly(true)
}

// RunWithKeyauth parses the flags, connects to keyauth and runs work.
func (o *Command) RunWithKeyauth(ctx context.Context, work func() error) error {
	o.addCommonFlags("data directory of the signalbox or keyauth that runs on this machine")
	o.Flags.Func("public-url", "dashboard URL for links; default: the URL of the running signalbox, else "+defaultDashboardURL, parseOrigin(&o.publicURL))
	if err := o.loadFlags(); err != nil {
		return err
	}
	return o.WithAccounts(ctx, work)
}

// ParseFlags parses the flags without connecting. It is for a command that calls keyauth
// only in some cases, with WithAccounts.
func (o *Command) ParseFlags() error {
	o.addCommonFlags("data directory of the signalbox or keyauth that runs on this machine")
	return o.loadFlags()
}

// RunWithAccount is like RunWithKeyauth. It passes the account of --account, or else the operator's account, to work.
func (o *Command) RunWithAccount(ctx context.Context, work func(a *keyauthv1.Account) error) error {
	return o.RunWithKeyauth(ctx, func() error {
		a, err := o.SelectedAccount(ctx)
		if err != nil {
			return err
		}
		return work(a)
	})
}

// addCommonFlags adds --json and the flags that locate the service. data describes the --data flag.
func (o *Command) addCommonFlags(data string) {
	o.Flags.Bool(&o.JSON, "json", false, "print JSON")
	o.Flags.FlagsOnly(false)
	o.Flags.String(&o.data, "data", "./data", data)
	o.Flags.Func("data", "", o.markLocated)
	o.Flags.Func("server", "HOST:PORT of the "+o.service.name+" in a split deployment, or with --token the URL of the dashboard; instead of --data", cli.NonEmpty(&o.server))
	o.Flags.Func("server", "", o.markLocated)
	o.Flags.Secret(&o.token, "token", "API token for the dashboard at the URL of --server; see signalbox tokens create")
	o.peers.Register(o.Flags)
}

// loadFlags parses the flags and checks those that belong together.
func (o *Command) loadFlags() error {
	if err := o.Flags.Load(o.Args, o.Environ); err != nil {
		return err
	}
	return o.checkToken()
}

// RunWithRouter parses the flags, connects to the router and runs work.
func (o *Command) RunWithRouter(ctx context.Context, work func(conn grpc.ClientConnInterface) error) error {
	o.addCommonFlags("data directory of the signalbox or router that runs on this machine")
	if err := o.loadFlags(); err != nil {
		return err
	}
	return o.withConnection(ctx, work)
}

// WithKeyauthAt is for a command that called the router. It connects to keyauth at server,
// or to the socket in the data directory if server is empty, and runs work.
func (o *Command) WithKeyauthAt(ctx context.Context, server string, work func(k *Command) error) error {
	k := *o
	k.service, k.server = keyauthService, server
	return k.WithAccounts(ctx, func() error { return work(&k) })
}

// IsRemote reports whether --server is set.
func (o *Command) IsRemote() bool { return o.server != "" }

// WithAccounts connects to keyauth, sets Accounts and runs work. The flags must be parsed.
func (o *Command) WithAccounts(ctx context.Context, work func() error) error {
	return o.withConnection(ctx, func(conn grpc.ClientConnInterface) error {
		o.Accounts = keyauthv1.NewAccountServiceClient(conn)
		return work()
	})
}
