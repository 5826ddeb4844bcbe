// Package anthropic emulates the Messages API of Anthropic: messages, token counts and models.
//
// Requests are decoded strictly and rejected with Anthropic's messages. Which fields a model accepts
// depends on its family and version, as for the real models. Thinking blocks are signed, and a changed
// block is rejected when it comes back.
package anthropic

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// dialect is the dialect of api.anthropic.com.
type dialect struct{}

// New returns an emulated Anthropic. It serves /v1/messages, /v1/messages/count_tokens and
// /v1/models.
func New(o server.Options) *server.Server {
	return server.New("anthropic", o, dialect{}, faults, models, []string{"claude-"})
}

func (a dialect) Serve(c *server.Call) (scripted.Response, *server.Problem) {
	c.Key = cmp.Or(c.Request.Header.Get("X-Api-Key"), c.Bearer())
	switch {
	case c.Key == "":
		p := c.FindProblem("401")
		p.Message = "x-api-key header is required"
		return scripted.Response{}, p
	case !c.Server.AcceptsKey(c.Key):
		return scripted.Response{}, c.FindProblem("401")
	case c.Request.Header.Get("Anthropic-Version") == "":
		return scripted.Response{}, invalidRequestError("anthropic-version: header is required")
	}
	return a.route(c)
}

func (a dialect) route(c *server.Call) (scripted.Response, *server.Problem) {
	path := strings.TrimPrefix(c.Path(), "/v1")
	id, one := strings.CutPrefix(path, "/models/")
	switch {
	case c.Request.Method == http.MethodPost && path == "/messages":
		return a.serveMessages(c)
	case c.Request.Method == http.MethodPost && path == "/messages/count_tokens":
		return a.serveCount(c)
	case c.Request.Method == http.MethodGet && path == "/models":
		return a.serveModels(c), nil
	case c.Request.Method == http.MethodGet && one:
		c.Model = id
		if !c.Server.ServesModel(id) {
			return scripted.Response{}, c.FindProblem("404")
		}
		return respondJSON(c, describeModel(id)), nil
	case path == "/messages", path == "/messages/count_tokens":
		return scripted.Response{}, &server.Problem{Status: 405, Kind: "invalid_request_error", Message: "Method Not Allowed"}
	}
	return scripted.Response{}, &server.Problem{Status: 404, Kind: "not_found_error", Message: "Not Found"}
}

func (a dialect) serveModels(c *server.Call) scripted.Response {
	list := []any{}
	for _, m := range c.Server.ListedModels() {
		list = append(list, describeModel(m))
	}
	ids := c.Server.ListedModels()
	return respondJSON(c, map[string]any{"data": list, "has_more": false, "first_id": ids[0], "last_id": ids[len(ids)-1]})
}

func describeModel(id string) any {
	return map[string]any{
		"type": "model", "id": id, "display_name": strings.ReplaceAll(id, "-", " "), "created_at": time.Unix(server.CreatedAt, 0).UTC().Format(time.RFC3339),
	}
}

func respondJSON(c *server.Call, v any) scripted.Response {
	return addHeaders(c, scripted.JSON(200, server.EncodeJSON(v)))
}

func addHeaders(c *server.Call, a scripted.Response) scripted.Response {
	reset := time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
	a = a.WithHeader("Request-Id", "req_"+c.ID).WithHeader("Anthropic-Organization-Id", "00000000-0000-4000-8000-000000000000")
	for kind, limit := range map[string]string{"Requests": "4000", "Tokens": "480000", "Input-Tokens": "400000", "Output-Tokens": "80000"} {
		name := "Anthropic-Ratelimit-" + kind
		a = a.WithHeader(name+"-Limit", limit).WithHeader(name+"-Remaining", limit).WithHeader(name+"-Reset", reset)
	}
	return a
}

func (dialect) EncodeError(c *server.Call, p *server.Problem) scripted.Response {
	body := strings.TrimSuffix(encodeErrorBody(p), "}") + `,"request_id":` + server.EncodeJSON("req_"+c.ID) + `}`
	return addHeaders(c, scripted.JSON(p.Status, body))
}

func (dialect) EncodeStreamError(_ *server.Call, p *server.Problem) string {
	return "event: error\ndata: " + encodeErrorBody(p) + "\n\n"
}

func encodeErrorBody(p *server.Problem) string {
	details := ""
	if p.Details != "" {
		details = `,"details":` + p.Details
	}
	return `{"type":"error","error":{"type":` + server.EncodeJSON(p.Kind) + `,"message":` + server.EncodeJSON(p.Message) + details + `}}`
}

// invalidRequestError returns Anthropic's error for an invalid request.
func invalidRequestError(message string) *server.Problem {
	return &server.Problem{Status: 400, Kind: "invalid_request_error", Message: message, Header: map[string]string{"X-Should-Retry": "false"}}
}

// faults maps the names of directives, such as 429, to Anthropic's error responses. See
// server.Directives.
var faults = map[string]server.Problem{
	"400":        {Status: 400, Kind: "invalid_request_error", Message: "The request body is not valid JSON."},
	"401":        {Status: 401, Kind: "authentication_error", Message: "invalid x-api-key", Header: map[string]string{"X-Should-Retry": "false"}},
	"402":        {Status: 402, Kind: "billing_error", Message: "Your account has a billing problem. Please check your payment information."},
	"403":        {Status: 403, Kind: "permission_error", Message: "Your API key does not have permission to use the specified resource."},
	"404":        {Status: 404, Kind: "not_found_error", Message: "model: {model}"},
	"409":        {Status: 409, Kind: "conflict_error", Message: "The request conflicts with another one."},
	"413":        {Status: 413, Kind: "request_too_large", Message: "Request exceeds the maximum size"},
	"429":        {Status: 429, Kind: "rate_limit_error", Message: "This request would exceed your organization's rate limit of 4,000 requests per minute.", Header: map[string]string{"Retry-After": "1", "Anthropic-Ratelimit-Requests-Remaining": "0", "X-Should-Retry": "true"}},
	"spend":      {Status: 429, Kind: "rate_limit_error", Message: "You have reached your specified API usage limits.", Details: `{"error_code":"enforced_spend_limit_reached"}`, Header: map[string]string{"X-Should-Retry": "false"}},
	"quota":      {Status: 400, Kind: "invalid_request_error", Message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},
	"500":        {Status: 500, Kind: "api_error", Message: "Internal server error", Header: map[string]string{"X-Should-Retry": "true"}},
	"504":        {Status: 504, Kind: "timeout_error", Message: "The request timed out."},
	"529":        {Status: 529, Kind: "overloaded_error", Message: "Overloaded", Header: map[string]string{"X-Should-Retry": "true"}},
	"overloaded": {Status: 529, Kind: "overloaded_error", Message: "Overloaded", Header: map[string]string{"X-Should-Retry": "true"}},
	"context":    {Status: 400, Kind: "invalid_request_error", Message: "prompt is too long: 210000 tokens > 200000 maximum"},
	"filter":     {Status: 400, Kind: "invalid_request_error", Message: "Output blocked by content filtering policy"},
	"param":      {Status: 400, Kind: "invalid_request_error", Message: "`temperature` is deprecated for this model."},
}
