package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// signInAt is where somebody signs in who wanted to see a page, and how the
// page is found again.
func signInAt(r *http.Request) string {
	to := ownPath(r.URL.RequestURI())
	if r.Method != http.MethodGet || to == "" || to == "/" {
		return loginForm.Path
	}
	return loginForm.Path + "?" + url.Values{"next": {to}}.Encode()
}

// ownPath returns a path of ours with its query, or nothing: a link to our
// sign-in form must not lead to another site.
func ownPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") {
		return ""
	}
	// Browsers read a second slash, of either kind, as the beginning of a host.
	if strings.Contains(next, `\`) || strings.HasPrefix(u.Path, "//") || isAPI(&http.Request{URL: u}) {
		return ""
	}
	return u.RequestURI()
}

// afterSignIn is where somebody goes: where they wanted to, else to the
// overview, or to the start if there is nothing to see yet.
func (s *server) afterSignIn(ctx context.Context, v *viewer, next string) string {
	if to := ownPath(next); to != "" {
		return to
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	page, err := s.Ledger.Page(ctx, record.Query{Account: v.account.GetId()}, nil, 1)
	if err == nil && len(page.Items) == 0 {
		return "/start"
	}
	return "/"
}
