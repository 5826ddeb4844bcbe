package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
)

// Prefix is the base path of the client API. GeminiPrefix is the base path for clients of the
// Gemini API.
const (
	Prefix       = "/proxy/v1"
	GeminiPrefix = "/proxy/v1beta"
)

const (
	messagesPath     = Prefix + "/messages"
	responsesPath    = Prefix + "/responses"
	modelsPath       = Prefix + "/models"
	geminiModelsPath = GeminiPrefix + "/models"
)

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

// route is one endpoint of the client API.
type route struct {
	method string
	// otherMethod is a second method of the endpoint, or empty.
	otherMethod string
	serve       func(*edge, *exchange)
	// scope is the scope that a key needs. It is empty if serve checks the scope.
	scope string
	// protocol is nil for chat completions and embeddings. name is its name in records.
	protocol inbound.Protocol
	name     requestbody.Protocol
	parse    func(body []byte) (*requestbody.Request, error)
	// streamType is the content type of streams, if they are not server-sent events.
	streamType string
	// countBody returns the response of an endpoint that counts tokens.
	countBody func(tokens int64) []byte
}

// The scopes of endpoints.
const (
	scopeChat       = "chat"
	scopeEmbeddings = "embeddings"
	scopeFeedback   = "feedback"
)

// routes lists the endpoints with a fixed path. A protocol needs one row for each endpoint.
var routes = map[string]*route{
	Prefix + "/chat/completions": {method: http.MethodPost, serve: (*edge).serveRequest, scope: scopeChat, parse: requestbody.ParseChat},
	Prefix + "/embeddings":       {method: http.MethodPost, serve: (*edge).serveRequest, scope: scopeEmbeddings, parse: requestbody.ParseEmbeddings},
	messagesPath: {
		method: http.MethodPost, serve: (*edge).serveRequest, scope: scopeChat,
		protocol: messages.Protocol{}, name: requestbody.Messages, parse: requestbody.ParseMessages,
	},
	messagesPath + "/count_tokens": {
		method: http.MethodPost, serve: (*edge).serveCount, scope: scopeChat,
		protocol: messages.Protocol{}, name: requestbody.Messages, parse: requestbody.ParseMessagesCount, countBody: messages.CountTokensBody,
	},
	responsesPath: {
		method: http.MethodPost, serve: (*edge).serveRequest, scope: scopeChat,
		protocol: responses.Protocol{}, name: requestbody.Responses, parse: requestbody.ParseResponses,
	},
	sessionPath:      {method: http.MethodGet, serve: (*edge).serveSession},
	feedbackPath:     {method: http.MethodPost, serve: (*edge).serveFeedback, scope: scopeFeedback},
	modelsPath:       {method: http.MethodGet, serve: (*edge).serveModels},
	geminiModelsPath: {method: http.MethodGet, serve: (*edge).serveModels},
	// A probe reaches this table only if its method is not supported. It is then rejected.
	livePath:  {method: http.MethodGet},
	readyPath: {method: http.MethodGet},
}

// modelRoute is the endpoint of one model.
var modelRoute = &route{method: http.MethodGet, serve: (*edge).serveModel}

func (e *edge) probeHandler(path string) http.Handler {
	switch path {
	case livePath:
		return e.Live
	case readyPath:
		return e.Ready
	}
	return nil
}

func (rt *route) allows(method string) bool {
	return method == rt.method || rt.otherMethod != "" && method == rt.otherMethod
}

// methods lists the methods of the endpoint.
func (rt *route) methods() []string {
	if rt.otherMethod == "" {
		return []string{rt.method}
	}
	return []string{rt.method, rt.otherMethod}
}

// protocolName returns the name of the endpoint's protocol for records.
func (rt *route) protocolName() requestbody.Protocol {
	if rt.name == "" {
		return requestbody.ChatCompletions
	}
	return rt.name
}

// findRoute returns the endpoint at a path, or nil. Only GET names a model with a colon: after
// the colon, other requests name what to do with the model.
func findRoute(method, path, query string) *route {
	if rt, ok := routes[path]; ok {
		return rt
	}
	if rest, ok := strings.CutPrefix(path, responsesPath+"/"); ok {
		return findStoredRoute(rest)
	}
	if name, ok := strings.CutPrefix(path, modelsPath+"/"); ok {
		if rt := findModelMethod(name, query); rt != nil {
			return rt // some of Google's clients use v1 instead of v1beta
		}
		return modelRoute
	}
	name, ok := strings.CutPrefix(path, geminiModelsPath+"/")
	if !ok {
		return nil
	}
	if rt := findModelMethod(name, query); rt != nil || method != http.MethodGet && strings.Contains(name, ":") {
		return rt
	}
	return modelRoute
}

// unescapePath decodes a part of a path. An invalid part is returned unchanged.
func unescapePath(escaped string) string {
	if name, err := url.PathUnescape(escaped); err == nil {
		return name
	}
	return escaped
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
	hint := "available: POST " + Prefix + "/chat/completions, POST " + Prefix + "/embeddings, POST " + messagesPath +
		", POST " + responsesPath + ", POST " + geminiModelsPath + "/MODEL:generateContent, POST " + feedbackPath + ", GET " + modelsPath
	switch first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); first {
	case "proxy":
	case "openai", "deployments":
		hint = "use a client for OpenAI instead of Azure; the base URL must end in " + Prefix
	default:
		hint = "the base URL must end in " + Prefix
	}
	return apperr.New(apperr.EndpointNotFound, "no such endpoint; "+hint).With("path", path).With("hint", hint)
}
