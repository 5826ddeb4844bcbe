package notice

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/netguard"
)

const maxURLLength = 2000

// CheckURL rejects URLs to which notices must not be sent. private allows URLs without
// TLS and at private addresses. CheckURL does not resolve host names. Their addresses
// are checked when a connection is opened.
func CheckURL(address string, private bool) error {
	invalid := invalidURL("the webhook must be an https URL without a user name, such as https://example.com/hook")
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURLLength || !isPrintableASCII(address) || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		return invalid
	}
	if private && u.Scheme == "http" {
		return nil
	}
	if u.Scheme != "https" {
		return invalid
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !private && !netguard.IsPublic(ip) {
		return invalidURL("the webhook must have a public address")
	}
	return nil
}

// isPrintableASCII reports whether s is printable ASCII without spaces.
func isPrintableASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func invalidURL(message string) error {
	return apperr.New(apperr.InvalidRequest, message).With("param", "webhook_url")
}
