package emulate

import (
	"net/http"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// anthropic is the dialect of api.anthropic.com.
type anthropic struct{}

func (a anthropic) serve(c *call) (scripted.Response, *problem) {
	c.key = c.r.Header.Get("X-Api-Key")
	if c.key == "" {
		c.key = c.bearer()
	}
	switch {
	case c.key == "":
		p := c.findProblem("401")
		p.message = "x-api-key header is required"
		return scripted.Response{}, p
	case !c.server.acceptsKey(c.key):
		return scripted.Response{}, c.findProblem("401")
	case c.r.Header.Get("Anthropic-Version") == "":
		return scripted.Response{}, invalidRequestError("anthropic-version: header is required")
	}
	return a.route(c)
}

func (a anthropic) route(c *call) (scripted.Response, *problem) {
	path := strings.TrimPrefix(c.path(), "/v1")
	id, one := strings.CutPrefix(path, "/models/")
	switch {
	case c.r.Method == http.MethodPost && path == "/messages":
		return a.serveMessages(c)
	case c.r.Method == http.MethodPost && path == "/messages/count_tokens":
		return a.serveCount(c)
	case c.r.Method == http.MethodGet && path == "/models":
		return a.serveModels(c), nil
	case c.r.Method == http.MethodGet && one:
		c.model = id
		if !c.server.servesModel(id) {
			return scripted.Response{}, c.findProblem("404")
		}
		return c.anthropicJSON(anthropicModel(id)), nil
	case path == "/messages", path == "/messages/count_tokens":
		return scripted.Response{}, &problem{status: 405, kind: "invalid_request_error", message: "Method Not Allowed"}
	}
	return scripted.Response{}, &problem{status: 404, kind: "not_found_error", message: "Not Found"}
}

func (a anthropic) serveModels(c *call) scripted.Response {
	list := []any{}
	for _, m := range c.server.listed {
		list = append(list, anthropicModel(m))
	}
	ids := c.server.listed
	return c.anthropicJSON(map[string]any{"data": list, "has_more": false, "first_id": ids[0], "last_id": ids[len(ids)-1]})
}

func anthropicModel(id string) any {
	return map[string]any{
		"type": "model", "id": id, "display_name": strings.ReplaceAll(id, "-", " "), "created_at": time.Unix(createdAt, 0).UTC().Format(time.RFC3339),
	}
}

func (c *call) anthropicJSON(v any) scripted.Response {
	return c.anthropicHeaders(scripted.JSON(200, encodeJSON(v)))
}

func (c *call) anthropicHeaders(a scripted.Response) scripted.Response {
	reset := time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
	a = a.WithHeader("Request-Id", "req_"+c.id).WithHeader("Anthropic-Organization-Id", "00000000-0000-4000-8000-000000000000")
	for kind, limit := range map[string]string{"Requests": "4000", "Tokens": "480000", "Input-Tokens": "400000", "Output-Tokens": "80000"} {
		name := "Anthropic-Ratelimit-" + kind
		a = a.WithHeader(name+"-Limit", limit).WithHeader(name+"-Remaining", limit).WithHeader(name+"-Reset", reset)
	}
	return a
}

func (anthropic) encodeError(c *call, p *problem) scripted.Response {
	body := strings.TrimSuffix(anthropicError(p), "}") + `,"request_id":` + encodeJSON("req_"+c.id) + `}`
	a := c.anthropicHeaders(scripted.JSON(p.status, body))
	for name, value := range p.header {
		a = a.WithHeader(name, value)
	}
	return a
}

func (anthropic) encodeStreamError(_ *call, p *problem) string {
	return "event: error\ndata: " + anthropicError(p) + "\n\n"
}

func anthropicError(p *problem) string {
	details := ""
	if p.details != "" {
		details = `,"details":` + p.details
	}
	return `{"type":"error","error":{"type":` + encodeJSON(p.kind) + `,"message":` + encodeJSON(p.message) + details + `}}`
}

// invalidRequestError returns Anthropic's error for an invalid request.
func invalidRequestError(message string) *problem {
	return &problem{status: 400, kind: "invalid_request_error", message: message, header: map[string]string{"X-Should-Retry": "false"}}
}

// anthropicFaults contains Anthropic's error responses by the name of the directive.
var anthropicFaults = map[string]problem{
	"400":        {status: 400, kind: "invalid_request_error", message: "The request body is not valid JSON."},
	"401":        {status: 401, kind: "authentication_error", message: "invalid x-api-key", header: map[string]string{"X-Should-Retry": "false"}},
	"402":        {status: 402, kind: "billing_error", message: "Your account has a billing problem. Please check your payment information."},
	"403":        {status: 403, kind: "permission_error", message: "Your API key does not have permission to use the specified resource."},
	"404":        {status: 404, kind: "not_found_error", message: "model: {model}"},
	"409":        {status: 409, kind: "conflict_error", message: "The request conflicts with another one."},
	"413":        {status: 413, kind: "request_too_large", message: "Request exceeds the maximum size"},
	"429":        {status: 429, kind: "rate_limit_error", message: "This request would exceed your organization's rate limit of 4,000 requests per minute.", header: map[string]string{"Retry-After": "1", "Anthropic-Ratelimit-Requests-Remaining": "0", "X-Should-Retry": "true"}},
	"spend":      {status: 429, kind: "rate_limit_error", message: "You have reached your specified API usage limits.", details: `{"error_code":"enforced_spend_limit_reached"}`, header: map[string]string{"X-Should-Retry": "false"}},
	"quota":      {status: 400, kind: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},
	"500":        {status: 500, kind: "api_error", message: "Internal server error", header: map[string]string{"X-Should-Retry": "true"}},
	"504":        {status: 504, kind: "timeout_error", message: "The request timed out."},
	"529":        {status: 529, kind: "overloaded_error", message: "Overloaded", header: map[string]string{"X-Should-Retry": "true"}},
	"overloaded": {status: 529, kind: "overloaded_error", message: "Overloaded", header: map[string]string{"X-Should-Retry": "true"}},
	"context":    {status: 400, kind: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum"},
	"filter":     {status: 400, kind: "invalid_request_error", message: "Output blocked by content filtering policy"},
	"param":      {status: 400, kind: "invalid_request_error", message: "`temperature` is deprecated for this model."},
}
