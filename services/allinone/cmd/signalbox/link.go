package main

import (
	"errors"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/allinone"
)

// dashboardURL is the default dashboard address of a split deployment.
const dashboardURL = "http://127.0.0.1:8081"

// tokenURL returns the dashboard link that redeems a one-time token.
func (o *operatorCommand) tokenURL(page, token string) string {
	base := o.publicURL
	if base == "" && o.server == "" {
		base = allinone.ReadAddress(o.data)
	}
	if base == "" {
		base = dashboardURL
	}
	return base + page + "?token=" + url.QueryEscape(token)
}

// nonEmpty parses a flag that must not be empty. An empty value, such as a
// variable that a script did not set, must not act like a missing flag.
func nonEmpty(p *string) func(string) error {
	return func(v string) error {
		if strings.TrimSpace(v) == "" {
			return errors.New("is empty; set a value or remove the flag")
		}
		*p = v
		return nil
	}
}

// parseOrigin accepts a scheme and a host without a path, with the same rules as the dashboard's --public-url.
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
