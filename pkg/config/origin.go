package config

import (
	"errors"
	"net/url"
)

// ParseOrigin parses address, the value of a setting that consists of a scheme and a host. It
// returns nil for an empty address. It rejects paths, because pages and cookies use the root
// path. setting is the name of the setting, for error messages.
func ParseOrigin(setting, address string) (*url.URL, error) {
	if address == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, errors.New(setting + ": expected an address such as https://signalbox.example.com")
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New(setting + ": expected an address without a path, query or fragment")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}
