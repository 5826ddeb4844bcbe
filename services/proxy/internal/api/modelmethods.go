package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
)

// modelMethods lists the methods of a model below geminiModelsPath: paths such as
// /proxy/v1beta/models/MODEL:generateContent.
var modelMethods = map[string]modelMethod{
	"generateContent":       {route: geminiRoute(scopeChat), parse: requestbody.ParseGenerateContent},
	"streamGenerateContent": {route: geminiRoute(scopeChat), parse: requestbody.ParseGenerateContent, stream: true, array: gemini.Protocol{Array: true}},
	"countTokens":           {route: countRoute(), parse: ignoreStream(requestbody.ParseCountTokens)},
	"embedContent":          {route: geminiRoute(scopeEmbeddings), parse: ignoreStream(requestbody.ParseEmbedContent)},
	"batchEmbedContents":    {route: geminiRoute(scopeEmbeddings), parse: ignoreStream(requestbody.ParseBatchEmbedContents)},
}

func geminiRoute(scope string) route {
	return route{serve: (*edge).serveRequest, scope: scope, protocol: gemini.Protocol{}, name: requestbody.Gemini}
}

func countRoute() route {
	rt := geminiRoute(scopeChat)
	rt.serve, rt.countBody = (*edge).serveCount, gemini.CountTokensBody
	return rt
}

// modelParser parses a body whose model is in the path.
type modelParser func(body []byte, model string, stream bool) (*requestbody.Request, error)

func ignoreStream(parse func(body []byte, model string) (*requestbody.Request, error)) modelParser {
	return func(body []byte, model string, _ bool) (*requestbody.Request, error) { return parse(body, model) }
}

// findModelMethod returns the endpoint for a name such as MODEL:generateContent, or nil. The
// name of the model may contain a colon too. Some clients escape the colon.
func findModelMethod(name, query string) *route {
	for _, colon := range []string{":", "%3A", "%3a"} {
		at := strings.LastIndex(name, colon)
		if at < 0 {
			continue
		}
		if m, ok := modelMethods[name[at+len(colon):]]; ok {
			return m.forModel(unescapePath(name[:at]), query)
		}
	}
	return nil
}

// modelMethod is an endpoint whose path contains the model.
type modelMethod struct {
	route
	// stream is set if the method streams its response.
	stream bool
	// array, if set, serves streams to clients that do not request server-sent events. They
	// get one JSON array, element by element.
	array inbound.Protocol
	parse modelParser
}

// forModel returns the endpoint for one model. query is the query of the URL.
func (m modelMethod) forModel(model, query string) *route {
	rt := m.route
	rt.method = http.MethodPost
	rt.parse = func(body []byte) (*requestbody.Request, error) { return m.parse(body, model, m.stream) }
	if m.array != nil && !wantsEvents(query) {
		rt.protocol, rt.streamType = m.array, "application/json"
	}
	return &rt
}

// wantsEvents reports whether a client of Google's API requests server-sent events.
func wantsEvents(query string) bool {
	values, err := url.ParseQuery(query)
	return err == nil && values.Get("alt") == "sse"
}
