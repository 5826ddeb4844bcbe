package dashboard

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/telemetry"
)

// Config is the service's settings; each is usable when absent.
type Config struct {
	// Data is the directory of the store, unless that is named.
	Data string
	// Store is the store's url; empty means Postgres, and without that
	// records.db in Data.
	Store config.Secret
	// Postgres is the database that services share, each in its schema.
	Postgres config.Secret
	// PublicURL is the origin by which browsers come; with https the session
	// cookie is for TLS alone. Empty means the address itself, without TLS.
	PublicURL string
	// EdgeURL is the origin by which programs come, where that is another.
	EdgeURL string
	// TrustedProxies are the balancers whose word on a client's address is
	// taken.
	TrustedProxies string
	// RetentionDays is for how long records are kept, ContentDays for how long
	// what was captured is where the account does not say; 0 is for ever.
	RetentionDays, ContentDays int64

	// Process is for the service's own binary; a process that hosts the
	// service among others has its own.
	Process Process
}

// Process is what the binary needs beside the service.
type Process struct {
	process.Config
	// Keyauth and Router are the addresses of these services.
	Keyauth string
	Router  string
	// Redis is the url of the records' carrier.
	Redis config.Secret
	Peers process.Peers
}

// maxDays is a century: longer is a slip of the finger.
const maxDays = 36500

// Register adds the service's settings to those of a process.
func (c *Config) Register(set *config.Set) {
	set.String(&c.Data, "data", "./data", "directory of everything that is kept")
	set.Secret(&c.Store, "dashboard-store", "store of the records, sqlite:///path/file.db or postgres://...; by default records.db in the data directory")
	set.Secret(&c.Postgres, "postgres-url", "database of every service whose store is not named")
	set.String(&c.TrustedProxies, "trusted-proxies", "", "balancers whose X-Forwarded-For is believed, as addresses and ranges: 10.0.0.7,10.1.0.0/16")
	set.Int(&c.RetentionDays, "retention-days", 400, 0, maxDays, "for how many days records are kept; 0 is for ever")
	set.Int(&c.ContentDays, "content-days", 30, 0, maxDays, "for how many days captured text is kept where the account does not say, at most as long as records; 0 is as long")
	set.String(&c.PublicURL, "public-url", "", "address by which browsers come, such as https://signalbox.example.com")
	set.String(&c.EdgeURL, "edge-url", c.EdgeURL, "address by which programs reach the proxies, where it is not --public-url")
}

// LoadConfig reads the settings of the service's own binary.
func LoadConfig(args, environ []string) (Config, error) {
	c := Config{EdgeURL: nearEdge, Process: Process{Config: process.Config{
		Listen: "127.0.0.1:8081", Admin: "127.0.0.1:9081", Telemetry: telemetry.Config{Service: "dashboard"},
	}}}
	set := config.New()
	c.Process.Register(set)
	c.Process.Peers.Register(set)
	set.String(&c.Process.Keyauth, "keyauth", "127.0.0.1:7002", "address of keyauth")
	set.String(&c.Process.Router, "router", "127.0.0.1:7001", "address of the router")
	set.Secret(&c.Process.Redis, "redis-url", "carrier of the records")
	c.Register(set)
	err := set.Load(args, environ)
	if c.EdgeURL == nearEdge && c.PublicURL != "" {
		c.EdgeURL = "" // one balancer stands before all
	}
	return c, err
}

// nearEdge is where a proxy listens that nobody told otherwise.
const nearEdge = "http://127.0.0.1:8080"

// storeURL names the store, and makes the data directory if it is in there.
func (c *Config) storeURL() (string, error) {
	for _, url := range []config.Secret{c.Store, c.Postgres} {
		if url != "" {
			return url.Reveal(), nil
		}
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return "", fmt.Errorf("make the data directory: %w", err)
	}
	path, err := filepath.Abs(filepath.Join(c.Data, "records.db"))
	return sqldb.SQLiteURL(path), err
}

// origin reads the address of a setting, nil when it is empty. A path is
// refused: pages and cookies are at the root.
func origin(setting, address string) (*url.URL, error) {
	if address == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, errors.New(setting + ": want an address such as https://signalbox.example.com")
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New(setting + ": want an address without a path")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}
