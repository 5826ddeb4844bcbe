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
	"github.com/signalbox/signalbox/services/router/internal/store"
	"github.com/signalbox/signalbox/services/router/internal/trial"
)

func openStore(ctx context.Context, cfg Config) (*store.Store, error) {
	for _, url := range []config.Secret{cfg.Store, cfg.Postgres} {
		if url != "" {
			return store.Open(ctx, url.Reveal())
		}
	}
	dir, err := filepath.Abs(cfg.Data)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return store.Open(ctx, sqldb.SQLiteURL(filepath.Join(dir, "policy.db")))
}

func openEngine(ctx context.Context, cfg Config, deps Deps, st *store.Store) (*engine.Engine, error) {
	cat, err := catalog.Load()
	if err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	start := engine.Start{Store: st, Catalog: cat, Log: deps.Log, Present: present(deps.Environ), Tests: trial.With(cat)}
	if cfg.Policy != "" {
		start.File = func() ([]byte, error) { return os.ReadFile(cfg.Policy) }
	}
	e, err := engine.Open(ctx, start)
	var problems policy.Problems
	if cfg.Policy != "" && errors.As(err, &problems) {
		return nil, errors.New(problems.In(cfg.Policy))
	}
	if err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	return e, nil
}

// present does not look at values beyond whether there is one: a variable that
// was emptied is as good as absent.
func present(environ []string) func(env string) bool {
	names := map[string]bool{}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && value != "" {
			names[name] = true
		}
	}
	return func(env string) bool { return names[env] }
}

// SocketPath is where the command line reaches the router that runs on a data
// directory. Whoever may open it is the operator.
func SocketPath(data string) string { return filepath.Join(data, "router.sock") }

// withSocket adds the operator's socket to the service's own network. Nothing
// but the command line needs it, so a place where it cannot be is no reason not
// to serve.
func withSocket(ctx context.Context, data string, own net.Listener, log *slog.Logger) net.Listener {
	path := SocketPath(data)
	err := os.MkdirAll(data, 0o700)
	var lis net.Listener
	if err == nil {
		lis, err = rpc.ListenLocal(ctx, path)
	}
	if err != nil {
		log.WarnContext(ctx, "the command line cannot reach this process by its socket", "socket", path, "error", err)
		return own
	}
	return rpc.Join(own, lis)
}
