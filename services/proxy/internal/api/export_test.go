package api

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// Parser parses a body.
type Parser = func(body []byte) (*requestbody.Request, error)

// AddRoute adds an endpoint of a test protocol. Call it only before the tests start.
func AddRoute(path string, protocol inbound.Protocol, parse Parser) {
	routes[path] = &route{method: http.MethodPost, serve: (*edge).serveRequest, scope: scopeChat, protocol: protocol, parse: parse}
}

// AddCount adds an endpoint that counts tokens.
func AddCount(path string, parse Parser, body func(int64) []byte) {
	routes[path] = &route{method: http.MethodPost, serve: (*edge).serveCount, scope: scopeChat, parse: parse, countBody: body}
}

// AddModelMethod adds a method of models.
func AddModelMethod(name string, protocol inbound.Protocol, stream bool, parse func(body []byte, model string, stream bool) (*requestbody.Request, error)) {
	modelMethods[name] = modelMethod{route: route{serve: (*edge).serveRequest, scope: scopeChat, protocol: protocol}, stream: stream, parse: parse}
}
