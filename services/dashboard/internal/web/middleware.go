package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// contentPolicy lets a page load its own files, ask its own API and send its own
// forms, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

type contextKey struct{}

// identified gives every request an id, and every answer the headers that it
// needs whatever it is.
func (s *server) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := newID()
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Not no-referrer: with it browsers send "Origin: null" with our own
		// forms, and these would be taken for cross-origin ones.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, id)))
	})
}

// newID is empty when the system has no randomness; the answer matters more.
func newID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return ""
	}
	return id.String()
}

func requestID(r *http.Request) string {
	id, _ := r.Context().Value(contextKey{}).(string)
	return id
}

// guarded turns a panic into an answer. If one was begun already, the
// connection is cut, so that half an answer is not taken for a whole one.
func (s *server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watched := &watch{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			s.Log.Error("panic", "request_id", requestID(r), "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			if watched.begun {
				cut(w)
				return
			}
			s.writeError(w, r, apperr.From(errors.New("panic")))
		}()
		next.ServeHTTP(watched, r)
	})
}

// watch knows whether an answer was begun.
type watch struct {
	http.ResponseWriter
	begun bool
}

func (w *watch) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *watch) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController through.
func (w *watch) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (s *server) crossOrigin(w http.ResponseWriter, r *http.Request) {
	s.either(func(http.ResponseWriter, *http.Request) error {
		return apperr.New(apperr.CrossOrigin, "a request from another site is refused")
	}).ServeHTTP(w, r)
}
