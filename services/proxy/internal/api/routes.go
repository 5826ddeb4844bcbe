package api

import (
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Prefix is the base path of the client API.
const Prefix = "/proxy/v1"

// IsProbe reports whether a request is a health check. Health checks are served even under
// overload.
func IsProbe(r *http.Request) bool {
	path := cleanPath(r.URL.EscapedPath())
	return path == livePath || path == readyPath
}

const (
	livePath  = "/health"
	readyPath = "/readyz"
)

type route struct {
	method string
	serve  func(*edge, *exchange)
}

var routes = map[string]route{
	Prefix + "/chat/completions": {http.MethodPost, (*edge).serveChat},
	Prefix + "/embeddings":       {http.MethodPost, (*edge).serveEmbeddings},
	Prefix + "/models":           {http.MethodGet, (*edge).serveModels},
	// A probe reaches this table only if its method is not supported. It is then rejected.
	livePath:  {method: http.MethodGet},
	readyPath: {method: http.MethodGet},
}

func (e *edge) probeHandler(path string) http.Handler {
	switch path {
	case livePath:
		return e.Live
	case readyPath:
		return e.Ready
	}
	return nil
}

func findRoute(path string) (route, bool) {
	if rt, ok := routes[path]; ok {
		return rt, true
	}
	if strings.HasPrefix(path, Prefix+"/models/") {
		return route{http.MethodGet, (*edge).serveModel}, true
	}
	return route{}, false
}

// cleanPath removes empty segments, which appear when clients join URLs.
func cleanPath(path string) string {
	if !strings.Contains(path, "//") && !strings.HasSuffix(path, "/") {
		return path
	}
	var b strings.Builder
	for part := range strings.SplitSeq(path, "/") {
		if part != "" {
			b.WriteByte('/')
			b.WriteString(part)
		}
	}
	return b.String()
}

// maxEchoed is how many bytes of a client's input an error may repeat.
const maxEchoed = 200

func notFoundError(path string) error {
	path = truncate(path, maxEchoed)
	hint := "available: POST " + Prefix + "/chat/completions, POST " + Prefix + "/embeddings, GET " + Prefix + "/models"
	if strings.HasSuffix(path, "/responses") {
		hint = "use POST " + Prefix + "/chat/completions; in the AI SDK use openai.chat()"
	}
	switch first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); first {
	case "proxy":
	case "openai", "deployments":
		hint = "use a client for OpenAI instead of Azure; the base URL must end in " + Prefix
	default:
		hint = "the base URL must end in " + Prefix
	}
	return apperr.New(apperr.EndpointNotFound, "no such endpoint; "+hint).With("path", path).With("hint", hint)
}
