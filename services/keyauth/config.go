package keyauth

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// Config holds the settings of the service. Data is required. The other fields may be zero.
type Config struct {
	// Data is the directory of the store and the pepper, unless Store, Postgres or
	// PepperFile sets another location. The pepper is the secret that protects
	// stored keys.
	Data string
	// Store is the URL of the store. If Store is empty, Postgres is used. If
	// Postgres is empty too, the store is the file keyauth.db in Data.
	Store config.Secret
	// Postgres is the URL of the database that all services share, each in its own schema.
	Postgres config.Secret
	// Registration is "open", "invite" or "closed". Empty means "invite".
	Registration string
	// PepperFile is the path of the pepper file. Empty means the file pepper in Data.
	PepperFile string
	// DefaultBudget is the monthly budget of new accounts in nano-USD; 0 means
	// no limit.
	DefaultBudget int64
	// SSOOnly allows password sign-ins only for owners of the operator's account.
	SSOOnly bool
	// WebhookAllowPrivate allows webhooks without TLS and at private addresses.
	WebhookAllowPrivate bool

	// Process and Peers are used only by the keyauth binary. The all-in-one process
	// has its own settings for them.
	Process process.Config
	Peers   process.Peers
}

// Register adds the settings of the service to set.
func (c *Config) Register(set *config.Set) {
	set.String(&c.Data, "data", "./data", "directory that holds all state")
	set.Secret(&c.Store, "keyauth-store", "URL of the store of accounts and keys, sqlite:///path/file.db or postgres://...; default: --postgres-url if set, otherwise keyauth.db in the data directory")
	set.Secret(&c.Postgres, "postgres-url", "URL of the Postgres database for all services that have no store URL of their own")
	set.OneOf(&c.Registration, "registration", "", registrations, "who can create an account; default: invite; the all-in-one process uses open if only this machine can reach it")
	set.String(&c.PepperFile, "pepper-file", "", "file of the secret that protects stored keys; default: pepper in the data directory")
	set.Func("default-budget", "monthly budget of new accounts in US dollars, such as 25 or 2.50; only the operator can raise it; 0, the default, means no limit",
		func(text string) (err error) {
			c.DefaultBudget, err = parseUSD(text)
			return err
		})
	set.Bool(&c.SSOOnly, "sso-only", false, "let users sign in only with single sign-on; owners of the operator's account can still use a password")
	set.Bool(&c.WebhookAllowPrivate, "webhook-allow-private", false, "allow webhooks at private addresses and without TLS")
}

// parseUSD parses an exact decimal amount of US dollars into nano-USD.
func parseUSD(text string) (int64, error) {
	const nano = 9
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction
	if whole == "" || len(fraction) > nano || strings.Trim(digits, "0123456789") != "" {
		return 0, errors.New("must be an amount in US dollars, such as 25 or 2.50")
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", nano-len(fraction)), 10, 64)
	if err != nil || n > setting.MaxBudget {
		return 0, errors.New("must be at most one billion US dollars")
	}
	return n, nil
}

var registrations = []string{
	string(account.RegistrationOpen), string(account.RegistrationInvite), string(account.RegistrationClosed),
}

// LoadConfig reads the settings of the keyauth binary.
func LoadConfig(args, environ []string) (Config, error) {
	c := Config{Process: process.Config{
		Listen: "127.0.0.1:7002", Admin: "127.0.0.1:9002", Telemetry: telemetry.Config{Service: "keyauth"},
	}}
	set := config.New()
	c.Process.Register(set)
	c.Peers.Register(set)
	c.Register(set)
	err := set.Load(args, environ)
	return c, err
}

// createDataDir creates the data directory with a mode that denies access to other users.
func (c *Config) createDataDir() error {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("create data directory: %w", err)
	}
	return nil
}

func (c *Config) storeURL() (string, error) {
	for _, url := range []config.Secret{c.Store, c.Postgres} {
		if url != "" {
			return url.Reveal(), nil
		}
	}
	path, err := filepath.Abs(filepath.Join(c.Data, "keyauth.db"))
	return sqldb.SQLiteURL(path), err
}

func (c *Config) pepperPath() string {
	return cmp.Or(c.PepperFile, filepath.Join(c.Data, "pepper"))
}

func (c *Config) registrationMode() account.Registration {
	return cmp.Or(account.Registration(c.Registration), account.RegistrationInvite)
}
