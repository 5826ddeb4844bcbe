package api

import (
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Prefix is the base path that clients are given.
const Prefix = "/proxy/v1"

// Vital reports whether a request must be answered however much there is to
// do: whoever watches the process asks it.
func Vital(r *http.Request) bool {
	path := clean(r.URL.EscapedPath())
	return path == livePath || path == readyPath
}

const (
	livePath  = "/health"
	readyPath = "/readyz"
)

// route is one path of the edge.
type route struct {
	method string
	serve  func(*edge, *exchange)
}

var routes = map[string]route{
	Prefix + "/chat/completions": {http.MethodPost, (*edge).chat},
	Prefix + "/embeddings":       {http.MethodPost, (*edge).embeddings},
	Prefix + "/models":           {http.MethodGet, (*edge).models},
	// Probes come here only with another method, to be refused.
	livePath:  {method: http.MethodGet},
	readyPath: {method: http.MethodGet},
}

func (e *edge) probe(path string) http.Handler {
	switch path {
	case livePath:
		return e.Live
	case readyPath:
		return e.Ready
	}
	return nil
}

func find(path string) (route, bool) {
	if rt, ok := routes[path]; ok {
		return rt, true
	}
	if strings.HasPrefix(path, Prefix+"/models/") {
		return route{http.MethodGet, (*edge).model}, true
	}
	return route{}, false
}

// clean drops the empty segments that concatenating clients produce.
func clean(path string) string {
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

// maxEchoed is how much of what a client sent is repeated to it.
const maxEchoed = 200

func notFound(path string) error {
	path = cut(path, maxEchoed)
	hint := "served here: POST " + Prefix + "/chat/completions, POST " + Prefix + "/embeddings, GET " + Prefix + "/models"
	if strings.HasSuffix(path, "/responses") {
		hint = "use POST " + Prefix + "/chat/completions; in the AI SDK use openai.chat()"
	}
	if strings.HasPrefix(path, "/v1/") || path == "/v1" {
		hint = "the base URL ends in " + Prefix
	}
	return apperr.New(apperr.EndpointNotFound, "this path is not served; "+hint).With("path", path).With("hint", hint)
}
