package router

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
	"github.com/signalbox/signalbox/services/router/internal/policyfile"
	"github.com/signalbox/signalbox/services/router/internal/policytests"
	"github.com/signalbox/signalbox/services/router/internal/secretrules"
	"github.com/signalbox/signalbox/services/router/internal/store"
)

func openStore(ctx context.Context, cfg Config) (*store.Store, error) {
	for _, url := range []config.Secret{cfg.Store, cfg.Postgres} {
		if url != "" {
			return store.Open(ctx, url.Reveal())
		}
	}
	dir, err := filepath.Abs(cfg.Data)
	if err != nil {
		return nil, fmt.Errorf("resolve data directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create data directory: %w", err)
	}
	return store.Open(ctx, sqldb.SQLiteURL(filepath.Join(dir, "policy.db")))
}

func openEngine(ctx context.Context, cfg Config, deps Deps, st *store.Store) (*engine.Engine, error) {
	cat, err := catalog.Load()
	if err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	secrets, err := secretrules.New(cat, cfg.PolicySecrets, cfg.PolicySecretsDir)
	if err != nil {
		return nil, err
	}
	start := engine.Options{
		Store: st, Catalog: cat, Log: deps.Log, HasEnv: newEnvLookup(deps.Environ),
		RunTests: policytests.NewRunner(cat), SecretAllowed: secrets.Allow, Weights: deps.Weights,
	}
	if cfg.Policy != "" {
		start.ReadFile = policyfile.New(cfg.Policy).Read
	}
	e, err := engine.Open(ctx, start)
	var problems policy.Problems
	if cfg.Policy != "" && errors.As(err, &problems) {
		return nil, errors.New(problems.FormatForFile(cfg.Policy))
	}
	if err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	return e, nil
}

func newLearner(cfg Config, deps Deps, st *store.Store, e *engine.Engine) *evidence.Learner {
	apply := e.UseCorrections
	if cfg.Learning == learningOff {
		apply = func(*evidence.Table) {}
	}
	return evidence.New(evidence.Options{Store: st, Base: e.ShippedPredictor, Apply: apply, Log: deps.Log, Now: deps.Now, LearnsOnDemand: deps.LearnsOnDemand})
}

// newEnvLookup returns a function that reports whether a variable is set. An empty
// variable counts as not set. The function does not retain values, because they may
// be secrets.
func newEnvLookup(environ []string) func(env string) bool {
	names := map[string]bool{}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && value != "" {
			names[name] = true
		}
	}
	return func(env string) bool { return names[env] }
}

// SocketPath returns the path of the socket through which the command line reaches
// the router of a data directory. A process that can open the socket has the
// operator's permissions.
func SocketPath(data string) string { return filepath.Join(data, "router.sock") }

// addOperatorSocket makes the service also listen on the operator's socket. Only
// the command line needs the socket, so the router runs even without it.
func addOperatorSocket(ctx context.Context, data string, own net.Listener, log *slog.Logger) net.Listener {
	path := SocketPath(data)
	err := os.MkdirAll(data, 0o700)
	var lis net.Listener
	if err == nil {
		lis, err = rpc.ListenLocal(ctx, path)
	}
	if err != nil {
		log.WarnContext(ctx, "operator socket unavailable, the command line cannot reach this process", "socket", path, "error", err)
		return own
	}
	return rpc.JoinListeners(own, lis)
}
