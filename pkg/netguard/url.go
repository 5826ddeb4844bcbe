package netguard

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

const maxURLLength = 2000

// The reasons why CheckURL rejects a URL.
var (
	ErrInvalidURL = errors.New("not an https URL without a user name")
	ErrNotPublic  = errors.New("not a public address")
)

// CheckURL rejects URLs to which a service must not send messages of users. private allows
// URLs without TLS and at private addresses. CheckURL does not resolve host names. Their
// addresses are checked when a connection is opened.
func CheckURL(address string, private bool) error {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURLLength || !isPrintableASCII(address) || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		return ErrInvalidURL
	}
	if private && u.Scheme == "http" {
		return nil
	}
	if u.Scheme != "https" {
		return ErrInvalidURL
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !private && !IsPublic(ip) {
		return ErrNotPublic
	}
	return nil
}

// isPrintableASCII reports whether s is printable ASCII without spaces.
func isPrintableASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
