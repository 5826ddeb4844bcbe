package health

import (
	"encoding/json"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Live answers 200 as long as the process can answer at all.
func (r *Readiness) Live() http.Handler {
	return getOnly(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"status": "ok"})
	})
}

// Ready answers 200 if the process serves, degraded or not, else 503.
func (r *Readiness) Ready() http.Handler {
	return getOnly(func(w http.ResponseWriter, _ *http.Request) {
		report := r.Report()
		body := map[string]any{}
		for name, value := range report.Facts {
			body[name] = value
		}
		body["status"], body["degraded"], body["missing"] = report.Status, report.Degraded, report.Missing
		status := http.StatusOK
		if !report.Status.Serves() {
			status = http.StatusServiceUnavailable
		}
		answer(w, status, body)
	})
}

func getOnly(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			apperr.Write(w, apperr.New(apperr.MethodNotAllowed, "use GET or HEAD here"), "", apperr.Flat)
			return
		}
		h(w, r)
	})
}

func answer(w http.ResponseWriter, status int, body map[string]any) {
	// Text and lists of text always encode.
	b, _ := json.Marshal(body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
}
