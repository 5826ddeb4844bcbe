// Package gemini emulates the Gemini API of Google AI Studio: generated content, as a response or a
// stream, embeddings, token counts and models.
//
// Requests may use camel case or snake case. They are decoded strictly and rejected with Google's
// messages. Models from Gemini 3 on sign function calls and require the signatures back.
package gemini

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// dialect is the dialect of generativelanguage.googleapis.com.
type dialect struct{}

var models = []string{
	"gemini-2.0-flash", "gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-flash-preview", "gemini-3-pro-preview",
	"gemini-3.1-pro-preview", "gemini-3.5-flash", "gemini-embedding-001",
}

// New returns an emulated Gemini. It serves the methods below /v1beta/models that generate content,
// compute embeddings and count tokens.
func New(o server.Options) *server.Server {
	return server.New("gemini", o, dialect{}, faults, models, []string{"gemini-"})
}

func (g dialect) Serve(c *server.Call) (scripted.Response, *server.Problem) {
	c.Key = cmp.Or(c.Request.Header.Get("X-Goog-Api-Key"), c.Request.URL.Query().Get("key"))
	if c.Key == "" {
		return scripted.Response{}, &server.Problem{
			Status: 403, Kind: "PERMISSION_DENIED",
			Message: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
		}
	}
	if !c.Server.AcceptsKey(c.Key) {
		return scripted.Response{}, c.FindProblem("401")
	}
	path, ok := strings.CutPrefix(c.Path(), "/v1beta/models")
	if !ok {
		path, ok = strings.CutPrefix(c.Path(), "/v1/models")
	}
	model, method, _ := strings.Cut(strings.TrimPrefix(path, "/"), ":")
	if !ok {
		return scripted.Response{}, &server.Problem{Status: 404, Kind: "NOT_FOUND", Message: "Requested entity was not found."}
	}
	return g.route(c, model, method)
}

func (g dialect) route(c *server.Call, model, method string) (scripted.Response, *server.Problem) {
	if model == "" && c.Request.Method == http.MethodGet {
		return g.serveModels(c), nil
	}
	if p := c.ReadModelDirectives(model); p != nil {
		return scripted.Response{}, p
	}
	if !c.Server.ServesModel(c.Model) {
		return scripted.Response{}, c.FindProblem("404")
	}
	if method == "" && c.Request.Method == http.MethodGet {
		return respondJSON(describeModel(c.Model)), nil
	}
	serve, ok := map[string]func(*server.Call) (scripted.Response, *server.Problem){
		"generateContent": g.serveGenerate, "streamGenerateContent": g.serveStream, "countTokens": g.serveCount,
		"embedContent": g.serveEmbed, "batchEmbedContents": g.serveEmbedBatch,
	}[method]
	if !ok || c.Request.Method != http.MethodPost {
		return scripted.Response{}, &server.Problem{Status: 404, Kind: "NOT_FOUND", Message: fmt.Sprintf("Method not found: %s %s", c.Request.Method, c.Request.URL.Path)}
	}
	return serve(c)
}

func (g dialect) serveModels(c *server.Call) scripted.Response {
	list := []any{}
	for _, m := range c.Server.ListedModels() {
		list = append(list, describeModel(m))
	}
	return respondJSON(map[string]any{"models": list})
}

func describeModel(name string) any {
	methods := []string{"generateContent", "countTokens"}
	if strings.Contains(name, "embedding") {
		methods = []string{"embedContent", "countTokens"}
	}
	return map[string]any{
		"name": "models/" + name, "version": "001", "displayName": strings.ReplaceAll(name, "-", " "), "inputTokenLimit": 1048576,
		"outputTokenLimit": 65536, "supportedGenerationMethods": methods,
	}
}

func respondJSON(v any) scripted.Response {
	return scripted.Text(200, "application/json; charset=UTF-8", server.EncodeJSON(v)).WithHeader("Server-Timing", "gfet4t7; dur=12")
}

func (dialect) EncodeError(_ *server.Call, p *server.Problem) scripted.Response {
	return scripted.Text(p.Status, "application/json; charset=UTF-8", encodeErrorBody(p))
}

// EncodeStreamError returns an event, or an element of the array if the stream is a JSON array.
func (dialect) EncodeStreamError(c *server.Call, p *server.Problem) string {
	if wantsEvents(c) {
		return "data: " + encodeErrorBody(p) + "\r\n\r\n"
	}
	return ",\r\n" + encodeErrorBody(p) + "\r\n]"
}

func encodeErrorBody(p *server.Problem) string {
	details := ""
	if p.Details != "" {
		details = `,"details":` + p.Details
	}
	return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":%s%s}}`, p.Status, server.EncodeJSON(p.Message), server.EncodeJSON(p.Kind), details)
}

// invalidArgumentError returns Google's error for an invalid request.
func invalidArgumentError(format string, args ...any) *server.Problem {
	return &server.Problem{Status: 400, Kind: "INVALID_ARGUMENT", Message: fmt.Sprintf(format, args...)}
}

const googleTypePrefix = "type.googleapis.com/google.rpc."

// faults maps the names of directives, such as 429, to Gemini's error responses. See
// server.Directives.
var faults = map[string]server.Problem{
	"400": {Status: 400, Kind: "INVALID_ARGUMENT", Message: "Invalid JSON payload received. Parsing terminated before end of input."},
	"401": {
		Status: 400, Kind: "INVALID_ARGUMENT", Message: "API key not valid. Please pass a valid API key.",
		Details: `[{"@type":"` + googleTypePrefix + `ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com","metadata":{"service":"generativelanguage.googleapis.com"}}]`,
	},
	"402":    {Status: 402, Kind: "RESOURCE_EXHAUSTED", Message: "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing."},
	"403":    {Status: 403, Kind: "PERMISSION_DENIED", Message: "Your project has been denied access. Please contact support."},
	"404":    {Status: 404, Kind: "NOT_FOUND", Message: "models/{model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods."},
	"region": {Status: 400, Kind: "FAILED_PRECONDITION", Message: "User location is not supported for the API use."},
	"413":    {Status: 400, Kind: "INVALID_ARGUMENT", Message: "Request payload size exceeds the limit: 20971520 bytes."},
	"429": {
		Status: 429, Kind: "RESOURCE_EXHAUSTED", Message: "You exceeded your current quota, please check your plan and billing details.",
		Details: `[{"@type":"` + googleTypePrefix + `QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_requests","quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"@type":"` + googleTypePrefix + `RetryInfo","retryDelay":"1.5s"}]`,
	},
	"daily": {
		Status: 429, Kind: "RESOURCE_EXHAUSTED", Message: "You exceeded your current quota, please check your plan and billing details.",
		Details: `[{"@type":"` + googleTypePrefix + `QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"0"}]},{"@type":"` + googleTypePrefix + `RetryInfo","retryDelay":"41000s"}]`,
	},
	"quota":      {Status: 402, Kind: "RESOURCE_EXHAUSTED", Message: "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing."},
	"500":        {Status: 500, Kind: "INTERNAL", Message: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"},
	"503":        {Status: 503, Kind: "UNAVAILABLE", Message: "The model is overloaded. Please try again later."},
	"overloaded": {Status: 503, Kind: "UNAVAILABLE", Message: "The model is overloaded. Please try again later."},
	"504":        {Status: 504, Kind: "DEADLINE_EXCEEDED", Message: "Deadline expired before operation could complete."},
	"context":    {Status: 400, Kind: "INVALID_ARGUMENT", Message: "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."},
	"param":      {Status: 400, Kind: "INVALID_ARGUMENT", Message: "Thinking level is not supported for this model."},
}
