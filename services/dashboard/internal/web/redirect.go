package web

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/signon"
)

// signInURL returns the URL of the sign-in page. Its parameter next leads back to
// the requested page.
func signInURL(r *http.Request) string {
	to := localPath(r.URL.RequestURI())
	if r.Method != http.MethodGet || to == "" || to == "/" {
		return loginForm.Path
	}
	return loginForm.Path + "?" + url.Values{"next": {to}}.Encode()
}

// localPath returns next if it is a page of this server, else an empty string.
// Without this check, a link to the sign-in form could lead the user to another site.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") {
		return ""
	}
	// Browsers treat a second slash or backslash as the start of a host name.
	if strings.Contains(next, `\`) || strings.HasPrefix(u.Path, "//") || isAPIRequest(&http.Request{URL: u}) || isLoginPath(u.Path) {
		return ""
	}
	return u.RequestURI()
}

// isLoginPath reports whether the path is the sign-in page or starts a sign-on. Otherwise a
// link to the sign-in page could start a sign-on that the person did not ask for.
func isLoginPath(p string) bool {
	p = path.Clean(p)
	return p == loginForm.Path || strings.HasPrefix(p, signon.PathPrefix)
}

// landingPage returns the page to open after signing in. It is next if that is a page
// of this server. Otherwise it is the overview, or /start if the account has no
// requests yet.
func (s *server) landingPage(ctx context.Context, v *access.Viewer, next string) string {
	if to := localPath(next); to != "" {
		return to
	}
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	page, err := s.Ledger.Page(ctx, record.Query{Account: v.Account.GetId()}, nil, 1)
	if err == nil && len(page.Items) == 0 {
		return "/start"
	}
	return "/"
}
