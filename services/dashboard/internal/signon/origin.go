package signon

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// checkSite returns an error if another site sent the browser here. Otherwise a link on
// another site could replace the session of a signed-in person. The value none means that
// the person typed the address. Browsers send the header only with TLS and to this machine.
func checkSite(r *http.Request) error {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	return apperr.New(apperr.CrossOrigin, "another site started this sign-on; use the button to sign in")
}

// isOwnClick reports whether a page of the dashboard led to the request. Only then does the
// person want to link the issuer to the signed-in user. Another site can leave the Referer
// out, but cannot forge it.
func (p *provider) isOwnClick(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	return originOf(r.Referer()) == originOf(p.public.String())
}
