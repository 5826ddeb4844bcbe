package allinone

import (
	"net/http"
	"strings"
)

// front tells the edge's paths from the dashboard's.
type front struct{ edge, dashboard http.Handler }

// ServeHTTP sends clients to the edge and people to the dashboard.
func (f front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	first, _, _ := strings.Cut(strings.TrimLeft(r.URL.Path, "/"), "/")
	switch first {
	case "proxy", "health", "readyz":
		f.edge.ServeHTTP(w, r)
	default:
		f.dashboard.ServeHTTP(w, r)
	}
}
