package health

import (
	"encoding/json"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// LiveHandler responds to GET and HEAD with 200. A response shows that the process is running.
func (r *Readiness) LiveHandler() http.Handler {
	return getOnly(func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"status": "ok"})
	})
}

// ReadyHandler responds with 200 if the process is ready or degraded, else with 503.
func (r *Readiness) ReadyHandler() http.Handler {
	return getOnly(func(w http.ResponseWriter, _ *http.Request) {
		report := r.Report()
		body := map[string]any{}
		for name, value := range report.Facts {
			body[name] = value
		}
		body["status"], body["degraded"], body["missing"] = report.Status, report.FailedOptional, report.FailedRequired
		status := http.StatusOK
		if !report.Status.Serves() {
			status = http.StatusServiceUnavailable
		}
		writeJSON(w, status, body)
	})
}

func getOnly(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			apperr.Write(w, apperr.New(apperr.MethodNotAllowed, "this path supports only GET and HEAD"), apperr.Options{})
			return
		}
		h(w, r)
	})
}

func writeJSON(w http.ResponseWriter, status int, body map[string]any) {
	// Encoding strings and lists of strings never fails.
	b, _ := json.Marshal(body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
}
