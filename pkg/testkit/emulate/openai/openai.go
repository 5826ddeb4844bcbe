// Package openai emulates OpenAI (New) and Azure OpenAI (NewAzure): chat completions, responses that
// are not stored, embeddings and models. With Options.Strict, New emulates Mistral, which rejects fields that only OpenAI has.
//
// Requests are decoded strictly and rejected with OpenAI's messages. Azure shares requests and responses
// and has its own paths, credentials, errors and content filter results.
package openai

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// dialect is the dialect of api.openai.com.
type dialect struct{}

var models = []string{
	"gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "o3", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5.1", "gpt-5.4",
	"gpt-5.4-mini", "gpt-5.3-codex", "gpt-5.5-pro", "gpt-6.1-sol", "text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002",
}

var prefixes = []string{"gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-", "ft:"}

// responsesPath is the path of the Responses API, without its prefix.
const responsesPath = "/responses"

// New returns an emulated OpenAI. It serves /v1/chat/completions, /v1/responses, /v1/embeddings and
// /v1/models.
func New(o server.Options) *server.Server {
	return server.New("openai", o, dialect{}, faults, models, prefixes)
}

func (o dialect) Serve(c *server.Call) (scripted.Response, *server.Problem) {
	c.Key = c.Bearer()
	switch {
	case c.Key == "":
		p := c.FindProblem("401")
		p.Code, p.Message = "", "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
		return scripted.Response{}, p
	case !c.Server.AcceptsKey(c.Key):
		return scripted.Response{}, c.FindProblem("401")
	}
	return o.route(c, strings.TrimPrefix(c.Path(), "/v1"), writer{})
}

// route serves a path without its prefix. Azure uses the same paths with another prefix.
func (o dialect) route(c *server.Call, path string, w writer) (scripted.Response, *server.Problem) {
	model, one := strings.CutPrefix(path, "/models/")
	switch {
	case path == "/chat/completions" && c.Request.Method == http.MethodPost:
		return o.serveChat(c, w)
	case path == "/embeddings" && c.Request.Method == http.MethodPost:
		return o.serveEmbeddings(c, w)
	case path == responsesPath && c.Request.Method == http.MethodPost:
		return o.serveResponses(c, w)
	case path == "/models" && c.Request.Method == http.MethodGet:
		return o.serveModels(c)
	case one && c.Request.Method == http.MethodGet:
		c.Model = model
		if !c.Server.ServesModel(model) {
			return scripted.Response{}, c.FindProblem("404")
		}
		return respondJSON(c, describeModel(model)), nil
	case path == "/chat/completions" || path == "/embeddings" || path == responsesPath:
		return scripted.Response{}, &server.Problem{
			Status: 405, Kind: "invalid_request_error", Code: "method_not_supported",
			Message: fmt.Sprintf("Not allowed to %s on %s.", c.Request.Method, c.Request.URL.Path),
		}
	}
	return scripted.Response{}, &server.Problem{
		Status: 404, Kind: "invalid_request_error", Message: fmt.Sprintf("Invalid URL (%s %s)", c.Request.Method, c.Request.URL.Path),
	}
}

func (o dialect) serveModels(c *server.Call) (scripted.Response, *server.Problem) {
	var data []any
	for _, m := range c.Server.ListedModels() {
		data = append(data, describeModel(m))
	}
	return respondJSON(c, map[string]any{"object": "list", "data": data}), nil
}

func describeModel(id string) any {
	return map[string]any{"id": id, "object": "model", "created": server.CreatedAt, "owned_by": "system"}
}

func respondJSON(c *server.Call, v any) scripted.Response {
	return addHeaders(c, scripted.JSON(200, server.EncodeJSON(v)))
}

func addHeaders(c *server.Call, a scripted.Response) scripted.Response {
	return a.WithHeaders(map[string]string{
		"X-Request-Id": "req_" + c.ID, "Openai-Processing-Ms": "12", "Openai-Version": "2020-10-01", "Openai-Organization": "emulated",
		"X-Ratelimit-Limit-Requests": "10000", "X-Ratelimit-Remaining-Requests": "9999", "X-Ratelimit-Reset-Requests": "6ms",
		"X-Ratelimit-Limit-Tokens": "2000000", "X-Ratelimit-Remaining-Tokens": "1999000", "X-Ratelimit-Reset-Tokens": "30ms",
	})
}

func (o dialect) EncodeError(c *server.Call, p *server.Problem) scripted.Response {
	if c.Server.Options().Strict && p.Status == 422 {
		return scripted.JSON(422, `{"detail":[{"type":"extra_forbidden","loc":["body",`+server.EncodeJSON(p.Param)+`],"msg":"Extra inputs are not permitted"}]}`)
	}
	return addHeaders(c, scripted.JSON(p.Status, encodeErrorBody(p)))
}

func (dialect) EncodeStreamError(c *server.Call, p *server.Problem) string {
	if strings.HasSuffix(c.Path(), responsesPath) {
		return encodeResponsesError(p)
	}
	return "data: " + encodeErrorBody(p) + "\n\n"
}

func encodeErrorBody(p *server.Problem) string {
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	return server.EncodeJSON(map[string]any{"error": map[string]any{
		"message": p.Message, "type": p.Kind, "param": orNull(p.Param), "code": orNull(p.Code),
	}})
}
