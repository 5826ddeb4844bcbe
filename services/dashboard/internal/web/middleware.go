package web

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// contentSecurityPolicy allows pages only to load their own files and to call their own
// API. withHeaders adds where forms may be sent.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// withHeaders gives every request an id, and sets the security headers of every
// response.
func (s *server) withHeaders(next http.Handler) http.Handler {
	// The form that signs out ends at the issuer, and browsers check every redirect.
	formTargets := strings.Join(append([]string{"; form-action 'self'"}, s.SignOn.Origins()...), " ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, id := httpapi.WithRequestID(r)
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("Content-Security-Policy", contentSecurityPolicy+formTargets)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// With no-referrer, browsers would send "Origin: null" with our own forms.
		// Those would then be rejected as cross-origin.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.sessions.Secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// recoverPanics turns a panic into an error response. If the response has started,
// it aborts the connection, so that the client notices.
func (s *server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watched := &trackedWriter{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			s.Log.Error("panic in a handler", "request_id", httpapi.RequestID(r), "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			if watched.started {
				httpapi.AbortResponse(w)
				return
			}
			s.writeError(w, r, apperr.From(errors.New("panic")))
		}()
		next.ServeHTTP(watched, r)
	})
}

type trackedWriter struct {
	http.ResponseWriter
	started bool
}

func (w *trackedWriter) WriteHeader(status int) {
	w.started = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *trackedWriter) Write(b []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController access to the underlying writer.
func (w *trackedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (s *server) rejectCrossOrigin(w http.ResponseWriter, r *http.Request) {
	s.handleEither(func(http.ResponseWriter, *http.Request) error {
		return apperr.New(apperr.CrossOrigin, "requests from other sites are not allowed")
	}).ServeHTTP(w, r)
}
