package allinone

import (
	"net"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// frontHandler sends API and health requests to the proxy and all other requests to the
// dashboard.
type frontHandler struct {
	proxy, dashboard http.Handler
	// loopbackOnly rejects dashboard requests whose Host header does not refer to this
	// machine. It prevents DNS rebinding: an attacker's host name resolves to 127.0.0.1,
	// so that the browser lets the attacker's page call the dashboard.
	loopbackOnly bool
	forwarded    *forwardedWatch
}

// ServeHTTP picks the handler by the first path segment.
func (f frontHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.forwarded.note(r)
	first, _, _ := strings.Cut(strings.TrimLeft(r.URL.Path, "/"), "/")
	switch {
	case first == "proxy" || first == "health" || first == "readyz" || first == "v1" || isMisdirected(r, first): // for the last two, the proxy returns an error with the right base URL
		f.proxy.ServeHTTP(w, r)
	case f.loopbackOnly && !isLoopbackHost(stripPort(r.Host)):
		apperr.Write(w, apperr.New(apperr.CrossOrigin, "the dashboard accepts requests from this machine only; set --public-url to serve it under another name"), apperr.Options{RequestID: uuid.Must(uuid.NewV7()).String()})
	default:
		f.dashboard.ServeHTTP(w, r)
	}
}

// clientAPINames are the first path segments of API calls whose base URL lacks /proxy/v1. The
// dashboard has no page of these names.
var clientAPINames = map[string]bool{
	"audio": true, "chat": true, "completions": true, "deployments": true, "embeddings": true, "engines": true, "files": true,
	"images": true, "messages": true, "models": true, "moderations": true, "openai": true, "rerank": true, "responses": true,
}

// isMisdirected reports whether a request is an API call whose base URL is wrong. Browsers get
// a page instead of a JSON error.
func isMisdirected(r *http.Request, first string) bool {
	if !clientAPINames[first] {
		return false
	}
	return r.Method != http.MethodGet || r.Header.Get("Authorization") != "" || !strings.Contains(r.Header.Get("Accept"), "text/html")
}

func stripPort(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	return strings.Trim(host, "[]")
}
