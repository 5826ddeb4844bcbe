package emulate

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// openai is the dialect of api.openai.com.
type openai struct{}

var openaiModels = []string{
	"gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "o3", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5.1", "gpt-5.4",
	"gpt-5.4-mini", "gpt-6.1-sol", "text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002",
}

var openaiPrefixes = []string{"gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-", "ft:"}

func (o openai) serve(c *call) (scripted.Response, *problem) {
	c.key = c.bearer()
	switch {
	case c.key == "":
		p := c.findProblem("401")
		p.code, p.message = "", "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
		return scripted.Response{}, p
	case !c.server.acceptsKey(c.key):
		return scripted.Response{}, c.findProblem("401")
	}
	return o.route(c, strings.TrimPrefix(c.path(), "/v1"), openaiWriter{})
}

// route serves a path without its prefix. Azure uses the same paths with another prefix.
func (o openai) route(c *call, path string, w openaiWriter) (scripted.Response, *problem) {
	model, one := strings.CutPrefix(path, "/models/")
	switch {
	case path == "/chat/completions" && c.r.Method == http.MethodPost:
		return o.serveChat(c, w)
	case path == "/embeddings" && c.r.Method == http.MethodPost:
		return o.serveEmbeddings(c, w)
	case path == "/models" && c.r.Method == http.MethodGet:
		return o.serveModels(c)
	case one && c.r.Method == http.MethodGet:
		c.model = model
		if !c.server.servesModel(model) {
			return scripted.Response{}, c.findProblem("404")
		}
		return c.openaiJSON(openaiModel(model)), nil
	case path == "/chat/completions" || path == "/embeddings":
		return scripted.Response{}, &problem{
			status: 405, kind: "invalid_request_error", code: "method_not_supported",
			message: fmt.Sprintf("Not allowed to %s on %s.", c.r.Method, c.r.URL.Path),
		}
	}
	return scripted.Response{}, &problem{
		status: 404, kind: "invalid_request_error", message: fmt.Sprintf("Invalid URL (%s %s)", c.r.Method, c.r.URL.Path),
	}
}

func (o openai) serveModels(c *call) (scripted.Response, *problem) {
	list := struct {
		Object string `json:"object"`
		Data   []any  `json:"data"`
	}{Object: "list"}
	for _, m := range c.server.listed {
		list.Data = append(list.Data, openaiModel(m))
	}
	return c.openaiJSON(list), nil
}

func openaiModel(id string) any {
	return struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}{id, "model", createdAt, "system"}
}

func (c *call) openaiJSON(v any) scripted.Response {
	return c.openaiHeaders(scripted.JSON(200, encodeJSON(v)))
}

func (c *call) openaiHeaders(a scripted.Response) scripted.Response {
	for name, value := range map[string]string{
		"X-Request-Id": "req_" + c.id, "Openai-Processing-Ms": "12", "Openai-Version": "2020-10-01", "Openai-Organization": "emulated",
		"X-Ratelimit-Limit-Requests": "10000", "X-Ratelimit-Remaining-Requests": "9999", "X-Ratelimit-Reset-Requests": "6ms",
		"X-Ratelimit-Limit-Tokens": "2000000", "X-Ratelimit-Remaining-Tokens": "1999000", "X-Ratelimit-Reset-Tokens": "30ms",
	} {
		a = a.WithHeader(name, value)
	}
	return a
}

func (o openai) encodeError(c *call, p *problem) scripted.Response {
	if c.server.options.Strict && p.status == 422 {
		return scripted.JSON(422, `{"detail":[{"type":"extra_forbidden","loc":["body",`+encodeJSON(p.param)+`],"msg":"Extra inputs are not permitted"}]}`)
	}
	a := c.openaiHeaders(scripted.JSON(p.status, openaiError(p)))
	for name, value := range p.header {
		a = a.WithHeader(name, value)
	}
	return a
}

func (openai) encodeStreamError(_ *call, p *problem) string {
	return "data: " + openaiError(p) + "\n\n"
}

func openaiError(p *problem) string {
	var body struct {
		Error struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Param   *string `json:"param"`
			Code    *string `json:"code"`
		} `json:"error"`
	}
	body.Error.Message, body.Error.Type = p.message, p.kind
	if p.param != "" {
		body.Error.Param = &p.param
	}
	if p.code != "" {
		body.Error.Code = &p.code
	}
	return encodeJSON(body)
}
