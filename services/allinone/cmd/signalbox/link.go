package main

import (
	"errors"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/allinone"
)

// dashboardURL is where the split shape's is, unless it was told otherwise.
const dashboardURL = "http://127.0.0.1:8081"

// link is where a person spends a token.
func (o *operator) link(page, token string) string {
	base := o.public
	if base == "" && o.server == "" {
		base = allinone.Address(o.data)
	}
	if base == "" {
		base = dashboardURL
	}
	return base + page + "?token=" + url.QueryEscape(token)
}

// given takes a value that says which: an empty one, such as a variable that a
// script has not set, must not mean that the flag was left out.
func given(p *string) func(string) error {
	return func(v string) error {
		if strings.TrimSpace(v) == "" {
			return errors.New("is empty; leave the flag out if none is meant")
		}
		*p = v
		return nil
	}
}

// origin takes what links may begin with, as the dashboard itself would.
func origin(p *string) func(string) error {
	return func(v string) error {
		u, err := url.Parse(v)
		switch {
		case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil:
			return errors.New("want an address such as https://signalbox.example.com")
		case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
			return errors.New("want an address without a path")
		}
		*p = u.Scheme + "://" + u.Host
		return nil
	}
}
