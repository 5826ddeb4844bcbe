package remote

import (
	"errors"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/allinone"
)

// defaultDashboardURL is the default dashboard address of a split deployment.
const defaultDashboardURL = "http://127.0.0.1:8081"

// TokenURL returns the dashboard link that redeems a one-time token.
func (o *Command) TokenURL(page, token string) string {
	base := o.publicURL
	if base == "" && o.server == "" {
		base = allinone.ReadAddress(o.data)
	}
	if base == "" {
		base = defaultDashboardURL
	}
	return base + page + "?token=" + url.QueryEscape(token)
}

// parseOrigin accepts a scheme and a host without a path. The rules are those of the dashboard's --public-url.
func parseOrigin(p *string) func(string) error {
	return func(v string) error {
		u, err := url.Parse(v)
		switch {
		case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil:
			return errors.New("must be a URL such as https://signalbox.example.com")
		case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
			return errors.New("must be a URL without a path")
		}
		*p = u.Scheme + "://" + u.Host
		return nil
	}
}
