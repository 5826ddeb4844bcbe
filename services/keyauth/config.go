package keyauth

import (
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
)

// Config is the service's settings; each is usable when absent.
type Config struct {
	// Data is the directory of the store and the pepper, unless they are named.
	Data string
	// Store is the store's url; empty means Postgres, and without that
	// keyauth.db in Data.
	Store config.Secret
	// Postgres is the database that services share, each in its schema.
	Postgres config.Secret
	// Registration is open, invite or closed; empty means invite.
	Registration string
	// PepperFile is the pepper's file; empty means pepper in Data.
	PepperFile string
	// DefaultBudget is the monthly budget that new accounts start with, in
	// nano-USD; 0 means none.
	DefaultBudget int64
	// WebhookAllowPrivate allows webhooks without TLS and at addresses that are
	// not public.
	WebhookAllowPrivate bool

	// Process and Peers are for the service's own binary; a process that hosts
	// the service among others has its own.
	Process process.Config
	Peers   process.Peers
}

// Register adds the service's settings to those of a process.
func (c *Config) Register(set *config.Set) {
	set.String(&c.Data, "data", "./data", "directory of everything that is kept")
	set.Secret(&c.Store, "keyauth-store", "store of accounts and keys, sqlite:///path/file.db or postgres://...; by default keyauth.db in the data directory")
	set.Secret(&c.Postgres, "postgres-url", "database of every service whose store is not named")
	set.OneOf(&c.Registration, "registration", "", registrations, "who may make an account")
	set.String(&c.PepperFile, "pepper-file", "", "secret mixed into stored keys; by default pepper in the data directory")
	set.Func("default-budget", "dollars a month that a new account may spend, such as 25 or 2.50, until the operator raises it; 0, the default, is no limit",
		func(text string) (err error) {
			c.DefaultBudget, err = parseUSD(text)
			return err
		})
	set.Bool(&c.WebhookAllowPrivate, "webhook-allow-private", false, "whether the webhooks of accounts may be at private addresses and without TLS")
}

// parseUSD reads a decimal of dollars as nano-dollars, exactly.
func parseUSD(text string) (int64, error) {
	const nano = 9
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction
	if whole == "" || len(fraction) > nano || strings.Trim(digits, "0123456789") != "" {
		return 0, errors.New("want dollars such as 25 or 2.50")
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", nano-len(fraction)), 10, 64)
	if err != nil || n > account.MaxBudget {
		return 0, errors.New("want at most a thousand million dollars")
	}
	return n, nil
}

var registrations = []string{
	string(account.RegistrationOpen), string(account.RegistrationInvite), string(account.RegistrationClosed),
}

// LoadConfig reads the settings of the service's own binary.
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

// makeData makes the data directory, for its owner's eyes alone.
func (c *Config) makeData() error {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
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
	if c.PepperFile != "" {
		return c.PepperFile
	}
	return filepath.Join(c.Data, "pepper")
}

func (c *Config) registration() account.Registration {
	if c.Registration == "" {
		return account.RegistrationInvite
	}
	return account.Registration(c.Registration)
}
