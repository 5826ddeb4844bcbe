package signon

import (
	"fmt"
	"net/netip"
	"net/url"
)

// addresses are the addresses of a discovery document that the dashboard or the browser calls.
type addresses struct {
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Keys          string `json:"jwks_uri"`
	EndSession    string `json:"end_session_endpoint"`
}

// check demands TLS. Only an issuer on this machine may name plain addresses, and only of
// this machine. An empty end-session address is valid.
func (a addresses) check(issuer string) error {
	local := isLoopbackURL(issuer)
	for name, text := range map[string]string{"authorization_endpoint": a.Authorization, "token_endpoint": a.Token, "jwks_uri": a.Keys, "end_session_endpoint": a.EndSession} {
		u, err := url.Parse(text)
		secure := err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil
		plain := err == nil && local && u.Scheme == "http" && u.User == nil && isLoopbackURL(text)
		if !secure && !plain && (name != "end_session_endpoint" || text != "") {
			return fmt.Errorf("%s must start with https://", name)
		}
	}
	return nil
}

// isLoopbackURL reports whether the host of the URL is this machine.
func isLoopbackURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
