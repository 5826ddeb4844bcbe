package web

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// methods maps the HTTP methods of one route to handlers. HEAD uses the handler of
// GET.
type methods map[string]http.Handler

// newMux returns a mux that never sends its own 404, 405 or redirect, because those
// responses would not have our error format.
func (s *server) newMux(routes map[string]methods) http.Handler {
	mux := http.NewServeMux()
	for pattern, m := range routes {
		mux.Handle(pattern, s.dispatchMethod(m))
	}
	mux.Handle("/", s.handleEither(func(http.ResponseWriter, *http.Request) error {
		return apperr.New(apperr.EndpointNotFound, "this address does not exist")
	}))
	return mux
}

func (s *server) dispatchMethod(m methods) http.Handler {
	allowed := slices.Sorted(maps.Keys(m))
	if m["GET"] != nil {
		allowed = append(allowed, "HEAD")
	}
	reject := s.handleEither(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return apperr.New(apperr.MethodNotAllowed, "this address does not support "+r.Method).With("allowed", allowed)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if h := m[method]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		reject.ServeHTTP(w, r)
	})
}

// handleAPI returns a handler that writes errors as JSON.
func (s *server) handleAPI(a access.Action) http.Handler { return s.handleWith(a, s.writeError) }

// handlePage returns a handler that writes errors as HTML pages.
func (s *server) handlePage(a access.Action) http.Handler { return s.handleWith(a, s.pageError) }

// handleEither returns a handler that writes errors as JSON for API URLs and for clients
// that are no browsers, and as HTML pages otherwise.
func (s *server) handleEither(a access.Action) http.Handler {
	return s.handleWith(a, func(w http.ResponseWriter, r *http.Request, err error) {
		if isAPIRequest(r) || s.pages == nil || !isBrowser(r) {
			s.writeError(w, r, err)
			return
		}
		s.pageError(w, r, err)
	})
}

func (s *server) handleWith(a access.Action, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a(w, r); err != nil {
			httpapi.LogFailure(s.Log, r, err)
			fail(w, r, err)
		}
	})
}

func (s *server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	apperr.Write(w, err, apperr.Options{RequestID: httpapi.RequestID(r), PublicURL: s.publicOrigin()})
}

// publicOrigin returns the public URL, or "" if none is configured.
func (s *server) publicOrigin() string {
	if s.PublicURL == nil {
		return ""
	}
	return s.PublicURL.String()
}

func isAPIRequest(r *http.Request) bool { return strings.HasPrefix(r.URL.Path+"/", "/api/") }

// isBrowser reports whether a request comes from a browser that loads a page. Every browser
// accepts HTML by name, and none sends an Authorization header on its own.
func isBrowser(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html") && r.Header.Get("Authorization") == ""
}

// cleanPath removes double and trailing slashes from the path of a request. It does
// not redirect, because a redirect would lose the body of a POST. It keeps escaped
// slashes, because they can be part of the id of a session.
func cleanPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		escaped := path.Clean("/" + r.URL.EscapedPath())
		p, err := url.PathUnescape(escaped)
		if err == nil && (p != r.URL.Path || r.URL.RawPath != "") {
			u := *r.URL
			u.Path, u.RawPath = p, escaped
			copied := *r
			copied.URL = &u
			r = &copied
		}
		next.ServeHTTP(w, r)
	})
}
