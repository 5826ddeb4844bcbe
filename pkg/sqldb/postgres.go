package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// postgresConns limits the connections of each pool to Postgres.
	postgresConns = 10
	// hostTimeout limits the attempt to connect to one host, unless the URL does. Without a limit, a
	// host that does not respond would keep the next host of the URL from being tried.
	hostTimeout = 3 * time.Second
	// poolerOption marks a URL that leads to PgBouncer in transaction mode.
	poolerOption = "pgbouncer"
)

// isPostgres reports whether url is one of Postgres.
func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// postgresServer is where a URL leads.
type postgresServer struct {
	*pgx.ConnConfig
	// pooled means that statements of one connection may run on different connections of the server,
	// so nothing can be set for a session.
	pooled bool
}

// parsePostgres parses a URL with one or several hosts.
func parsePostgres(url string) (*postgresServer, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's message may quote the URL with its password.
		return nil, errors.New("the postgres URL is invalid")
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = hostTimeout
	}
	s := &postgresServer{ConnConfig: cfg}
	switch cfg.RuntimeParams[poolerOption] {
	case "", "false":
	case "true":
		s.pooled = true
		// Named statements belong to a connection of the server. Descriptions do not.
		cfg.StatementCacheCapacity, cfg.DefaultQueryExecMode = 0, pgx.QueryExecModeCacheDescribe
	default:
		return nil, errors.New("the postgres URL is invalid: " + poolerOption + " must be true or false")
	}
	delete(cfg.RuntimeParams, poolerOption)
	return s, nil
}

// open returns a pool of connections that use a schema. PgBouncer refuses other settings than a few,
// so behind it the login has the schema as its search path; see CreateLogins.
func (s *postgresServer) open(o Options, params map[string]string, conns int) *sql.DB {
	cfg := s.Copy()
	cfg.RuntimeParams["application_name"] = applicationName(o.Schema)
	if !s.pooled {
		cfg.RuntimeParams["search_path"] = o.Schema
		maps.Copy(cfg.RuntimeParams, params)
	}
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	// A connection takes 3 to 9 MiB of the server's memory, without its shared buffers. Connections that a
	// burst opened would stay open.
	db.SetConnMaxIdleTime(idleTime)
	return db
}

// applicationName is how connections of a service show up in Postgres.
func applicationName(schema string) string { return "signalbox-" + schema }

func openPostgres(ctx context.Context, url string, o Options) (*DB, error) {
	s, err := parsePostgres(url)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	replica := s
	if o.ReplicaURL != "" {
		if replica, err = parsePostgres(o.ReplicaURL); err != nil {
			return nil, fmt.Errorf("open the store for reading: %w", err)
		}
	}
	db := &DB{Dialect: Postgres, name: o.Schema, pooled: s.pooled, write: s.open(o, nil, postgresConns), probe: s.open(o, nil, 1)}
	db.read, db.replica = db.write, db.write
	if len(o.ReadParams) > 0 {
		db.read = s.open(o, o.ReadParams, postgresConns)
		db.replica = db.read
	}
	if o.ReplicaURL != "" {
		db.replica = replica.open(o, o.ReadParams, postgresConns)
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := checkSearchPath(ctx, db.write, o.Schema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// checkSearchPath connects, and returns an error if the connection does not use the schema.
func checkSearchPath(ctx context.Context, db *sql.DB, schema string) error {
	var path string
	if err := db.QueryRowContext(ctx, "SHOW search_path").Scan(&path); err != nil {
		return classifyConnectError(err)
	}
	if strings.Trim(path, `"`) != schema {
		return fmt.Errorf("open store: the login does not use the schema %s: run signalbox logins again, which sets its search path", schema)
	}
	return nil
}
