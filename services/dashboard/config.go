package dashboard

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/telemetry"
)

// Config holds the service's settings. Every setting has a default.
type Config struct {
	// Data is the directory of the operator socket. It also holds the SQLite store,
	// unless Store or Postgres is set.
	Data string
	// Store is the URL of the store. If it is empty, the store is in Postgres. If
	// Postgres is also empty, the store is the file records.db in Data.
	Store config.Secret
	// Postgres is the URL of the database that all services share. Each service has
	// its own schema there.
	Postgres config.Secret
	// ReplicaPostgres is the URL of a Postgres from which the pages are read. It may lag behind.
	ReplicaPostgres config.Secret
	// PublicURL is the origin that browsers use. If its scheme is https, browsers
	// send the session cookie only over TLS. If PublicURL is empty, browsers use the
	// listen address without TLS.
	PublicURL string
	// EdgeURL is the origin that API clients use, if it differs from PublicURL.
	EdgeURL string
	// Proxy is the origin at which this process reaches a proxy. The all-in-one does not
	// use it.
	Proxy string
	// TrustedProxies lists the load balancers whose X-Forwarded-For header is
	// trusted.
	TrustedProxies string
	// RetentionDays is how many days records are retained. Zero means forever.
	RetentionDays int64
	// ContentDays is how many days captured content is retained, unless the account
	// sets its own period. Zero means as long as the record. Content never outlives
	// its record.
	ContentDays int64

	// AlertKeyFile is the path of the secret that encrypts the channels of alerts. Empty means
	// the file alert-key in Data. All dashboards of an installation need the same file.
	AlertKeyFile string
	// SMTP is the URL of the mail server for alerts; empty for none. SMTPFrom is the sender.
	SMTP     config.Secret
	SMTPFrom string
	// OIDCFile is the path of the file that lists the OpenID Connect issuers; empty for none.
	OIDCFile string
	// WebhookAllowPrivate allows webhooks without TLS and at private addresses.
	WebhookAllowPrivate bool

	// Process holds the settings of the dashboard's own binary. The all-in-one does
	// not use them.
	Process Process
}

// Process holds the settings that the dashboard's own binary needs in addition to
// those of the service.
type Process struct {
	process.Config
	// Keyauth is the address of keyauth.
	Keyauth string
	// Router is the address of the router.
	Router string
	// Redis is the URL of the Redis that carries the records.
	Redis config.Secret
	Peers process.Peers
}

// maxDays is 100 years. Longer periods are treated as typing errors.
const maxDays = 36500

// Register adds the service's settings to the settings of a process.
func (c *Config) Register(set *config.Set) {
	set.String(&c.Data, "data", "./data", "directory that holds all state")
	set.Secret(&c.Store, "dashboard-store", "URL of the record store, sqlite:///path/file.db or postgres://...; default: --postgres-url if set, otherwise records.db in the data directory")
	set.Secret(&c.Postgres, "postgres-url", "URL of the Postgres database for all services that have no store URL of their own")
	set.String(&c.TrustedProxies, "trusted-proxies", "", "load balancers whose X-Forwarded-For is trusted, as addresses and ranges: 10.0.0.7,10.1.0.0/16")
	set.Int(&c.RetentionDays, "retention-days", 400, 0, maxDays, "days to retain records; 0 means forever")
	set.Int(&c.ContentDays, "content-days", 30, 0, maxDays, "days to retain captured content unless the account sets its own period, never longer than records; 0 means as long as records")
	set.String(&c.AlertKeyFile, "alert-key-file", "", "file of the secret that encrypts the channels of alerts, the same for all dashboards; default: alert-key in the data directory")
	set.Secret(&c.SMTP, "smtp-url", "URL of the mail server for alerts, smtps://user:password@host:465, or smtp://host:587 for STARTTLS; add ?tls=none for neither")
	set.String(&c.SMTPFrom, "smtp-from", "signalbox@localhost", "e-mail address that sends alerts")
	set.String(&c.OIDCFile, "oidc-file", "", "YAML file that lists the OpenID Connect issuers with which users can sign in; needs --public-url")
	set.Bool(&c.WebhookAllowPrivate, "webhook-allow-private", false, "allow webhooks at private addresses and without TLS")
	set.String(&c.PublicURL, "public-url", "", "origin that browsers use, such as https://signalbox.example.com")
	set.String(&c.EdgeURL, "edge-url", c.EdgeURL, "origin that API clients use, if it differs from --public-url")
}

// LoadConfig reads the settings of the service's own binary.
func LoadConfig(args, environ []string) (Config, error) {
	c := Config{EdgeURL: defaultEdgeURL, Process: Process{Config: process.Config{
		Listen: "127.0.0.1:8081", Admin: "127.0.0.1:9081", Telemetry: telemetry.Config{Service: "dashboard"},
	}}}
	set := config.New()
	c.Process.Register(set)
	c.Process.Peers.Register(set)
	set.String(&c.Process.Keyauth, "keyauth", "127.0.0.1:7002", "address of keyauth")
	set.String(&c.Process.Router, "router", "127.0.0.1:7001", "address of the router")
	set.String(&c.Proxy, "proxy", defaultEdgeURL, "origin of a proxy, or of a balancer of proxies, for requests of the playground")
	set.Secret(&c.ReplicaPostgres, "postgres-read-url", "URL of a Postgres replica for the log, the charts and the sessions; default: the store itself")
	set.Secret(&c.Process.Redis, "redis-url", "URL of the Redis that carries the records: redis://, redis-sentinel:// or redis-cluster://")
	c.Register(set)
	err := set.Load(args, environ)
	if c.EdgeURL == defaultEdgeURL && c.PublicURL != "" {
		c.EdgeURL = "" // the load balancer at the public URL also serves API clients
	}
	return c, err
}

// defaultEdgeURL is the default listen address of a proxy.
const defaultEdgeURL = "http://127.0.0.1:8080"

// storeURL returns the URL of the store. For the default store it creates the
// data directory.
func (c *Config) storeURL() (string, error) {
	for _, url := range []config.Secret{c.Store, c.Postgres} {
		if url != "" {
			return url.Reveal(), nil
		}
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return "", fmt.Errorf("create data directory: %w", err)
	}
	path, err := filepath.Abs(filepath.Join(c.Data, "records.db"))
	return sqldb.SQLiteURL(path), err
}
