package web

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// methods answers one address, by method. HEAD is answered as GET.
type methods map[string]http.Handler

// action answers a request, or returns why it did not. After it has begun to
// write it must not return an error.
type action func(w http.ResponseWriter, r *http.Request) error

// serve makes a mux that is never asked for methods or paths that it would
// answer by itself, as its answers are not in our shape.
func (s *server) serve(routes map[string]methods) http.Handler {
	mux := http.NewServeMux()
	for pattern, m := range routes {
		mux.Handle(pattern, s.dispatch(m))
	}
	mux.Handle("/", s.either(func(http.ResponseWriter, *http.Request) error {
		return apperr.New(apperr.EndpointNotFound, "there is nothing at this address")
	}))
	return mux
}

func (s *server) dispatch(m methods) http.Handler {
	allowed := slices.Sorted(maps.Keys(m))
	if m["GET"] != nil {
		allowed = append(allowed, "HEAD")
	}
	refuse := s.either(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return apperr.New(apperr.MethodNotAllowed, "this address does not answer "+r.Method).With("allowed", allowed)
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
		refuse.ServeHTTP(w, r)
	})
}

// api answers errors as JSON, page as HTML, either by the address.
func (s *server) api(a action) http.Handler { return s.answer(a, s.writeError) }

func (s *server) page(a action) http.Handler { return s.answer(a, s.pageError) }

func (s *server) either(a action) http.Handler {
	return s.answer(a, func(w http.ResponseWriter, r *http.Request, err error) {
		if isAPI(r) || s.pages == nil {
			s.writeError(w, r, err)
			return
		}
		s.pageError(w, r, err)
	})
}

func (s *server) answer(a action, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a(w, r); err != nil {
			s.logFailure(r, err)
			fail(w, r, err)
		}
	})
}

func (s *server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	apperr.Write(w, err, requestID(r), apperr.Flat)
}

// logFailure logs what is our fault, once, with what the client is not told.
func (s *server) logFailure(r *http.Request, err error) {
	code := apperr.CodeOf(err)
	if code.Spec().Status < http.StatusInternalServerError || r.Context().Err() != nil {
		return
	}
	s.Log.Error("request failed", "request_id", requestID(r), "method", r.Method, "path", r.URL.Path,
		"code", string(code), "error", err)
}

func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path+"/", "/api/") }

// clean serves double and trailing slashes as if they were not there: a
// redirect would lose the body of a POST.
func clean(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := path.Clean("/" + r.URL.Path); p != r.URL.Path || r.URL.RawPath != "" {
			u := *r.URL
			u.Path, u.RawPath = p, ""
			copied := *r
			copied.URL = &u
			r = &copied
		}
		next.ServeHTTP(w, r)
	})
}
