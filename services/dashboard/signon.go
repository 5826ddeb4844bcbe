package dashboard

import (
	"log/slog"
	"net/url"
	"os"

	"github.com/signalbox/signalbox/services/dashboard/internal/signon"
)

// signOn returns nil if no issuers are configured.
func (c *Config) signOn(public *url.URL, log *slog.Logger) (*signon.Manager, error) {
	if c.OIDCFile == "" {
		return nil, nil
	}
	issuers, err := signon.Load(c.OIDCFile, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return signon.New(issuers, public, log)
}
