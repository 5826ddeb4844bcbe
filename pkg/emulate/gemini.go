package emulate

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// gemini is the dialect of generativelanguage.googleapis.com.
type gemini struct{}

var geminiModels = []string{
	"gemini-2.0-flash", "gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-flash-preview", "gemini-3-pro-preview",
	"gemini-3.1-pro-preview", "gemini-3.5-flash", "gemini-embedding-001",
}

func (g gemini) serve(c *call) (scripted.Response, *problem) {
	c.key = c.r.Header.Get("X-Goog-Api-Key")
	if c.key == "" {
		c.key = c.r.URL.Query().Get("key")
	}
	if c.key == "" {
		return scripted.Response{}, &problem{
			status: 403, kind: "PERMISSION_DENIED",
			message: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
		}
	}
	if !c.server.acceptsKey(c.key) {
		return scripted.Response{}, c.findProblem("401")
	}
	path, ok := strings.CutPrefix(c.path(), "/v1beta/models")
	if !ok {
		path, ok = strings.CutPrefix(c.path(), "/v1/models")
	}
	model, method, _ := strings.Cut(strings.TrimPrefix(path, "/"), ":")
	if !ok {
		return scripted.Response{}, &problem{status: 404, kind: "NOT_FOUND", message: "Requested entity was not found."}
	}
	return g.route(c, model, method)
}

func (g gemini) route(c *call, model, method string) (scripted.Response, *problem) {
	if model == "" && c.r.Method == http.MethodGet {
		return g.serveModels(c), nil
	}
	if p := c.readModelDirectives(model); p != nil {
		return scripted.Response{}, p
	}
	if !c.server.servesModel(c.model) {
		return scripted.Response{}, c.findProblem("404")
	}
	if method == "" && c.r.Method == http.MethodGet {
		return c.geminiJSON(geminiModel(c.model)), nil
	}
	serve, ok := map[string]func(*call) (scripted.Response, *problem){
		"generateContent": g.serveGenerate, "streamGenerateContent": g.serveStream, "countTokens": g.serveCount,
		"embedContent": g.serveEmbed, "batchEmbedContents": g.serveEmbedBatch,
	}[method]
	if !ok || c.r.Method != http.MethodPost {
		return scripted.Response{}, &problem{status: 404, kind: "NOT_FOUND", message: fmt.Sprintf("Method not found: %s %s", c.r.Method, c.r.URL.Path)}
	}
	return serve(c)
}

func (g gemini) serveModels(c *call) scripted.Response {
	list := []any{}
	for _, m := range c.server.listed {
		list = append(list, geminiModel(m))
	}
	return c.geminiJSON(map[string]any{"models": list})
}

func geminiModel(name string) any {
	methods := []string{"generateContent", "countTokens"}
	if strings.Contains(name, "embedding") {
		methods = []string{"embedContent", "countTokens"}
	}
	return map[string]any{
		"name": "models/" + name, "version": "001", "displayName": strings.ReplaceAll(name, "-", " "), "inputTokenLimit": 1048576,
		"outputTokenLimit": 65536, "supportedGenerationMethods": methods,
	}
}

func (c *call) geminiJSON(v any) scripted.Response {
	return scripted.Text(200, "application/json; charset=UTF-8", encodeJSON(v)).WithHeader("Server-Timing", "gfet4t7; dur=12")
}

func (gemini) encodeError(_ *call, p *problem) scripted.Response {
	a := scripted.Text(p.status, "application/json; charset=UTF-8", geminiError(p))
	for name, value := range p.header {
		a = a.WithHeader(name, value)
	}
	return a
}

// encodeStreamError returns an event, or an element of the array if the stream is a JSON array.
func (gemini) encodeStreamError(c *call, p *problem) string {
	if c.wantsEvents() {
		return "data: " + geminiError(p) + "\r\n\r\n"
	}
	return ",\r\n" + geminiError(p) + "\r\n]"
}

func geminiError(p *problem) string {
	details := ""
	if p.details != "" {
		details = `,"details":` + p.details
	}
	return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":%s%s}}`, p.status, encodeJSON(p.message), encodeJSON(p.kind), details)
}

// invalidArgumentError returns Google's error for an invalid request.
func invalidArgumentError(format string, args ...any) *problem {
	return &problem{status: 400, kind: "INVALID_ARGUMENT", message: fmt.Sprintf(format, args...)}
}

const googleTypePrefix = "type.googleapis.com/google.rpc."

// geminiFaults contains Gemini's error responses by the name of the directive.
var geminiFaults = map[string]problem{
	"400": {status: 400, kind: "INVALID_ARGUMENT", message: "Invalid JSON payload received. Parsing terminated before end of input."},
	"401": {
		status: 400, kind: "INVALID_ARGUMENT", message: "API key not valid. Please pass a valid API key.",
		details: `[{"@type":"` + googleTypePrefix + `ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com","metadata":{"service":"generativelanguage.googleapis.com"}}]`,
	},
	"402":    {status: 402, kind: "RESOURCE_EXHAUSTED", message: "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing."},
	"403":    {status: 403, kind: "PERMISSION_DENIED", message: "Your project has been denied access. Please contact support."},
	"404":    {status: 404, kind: "NOT_FOUND", message: "models/{model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods."},
	"region": {status: 400, kind: "FAILED_PRECONDITION", message: "User location is not supported for the API use."},
	"413":    {status: 400, kind: "INVALID_ARGUMENT", message: "Request payload size exceeds the limit: 20971520 bytes."},
	"429": {
		status: 429, kind: "RESOURCE_EXHAUSTED", message: "You exceeded your current quota, please check your plan and billing details.",
		details: `[{"@type":"` + googleTypePrefix + `QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_requests","quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"@type":"` + googleTypePrefix + `RetryInfo","retryDelay":"1.5s"}]`,
	},
	"daily": {
		status: 429, kind: "RESOURCE_EXHAUSTED", message: "You exceeded your current quota, please check your plan and billing details.",
		details: `[{"@type":"` + googleTypePrefix + `QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"0"}]},{"@type":"` + googleTypePrefix + `RetryInfo","retryDelay":"41000s"}]`,
	},
	"quota":      {status: 402, kind: "RESOURCE_EXHAUSTED", message: "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing."},
	"500":        {status: 500, kind: "INTERNAL", message: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"},
	"503":        {status: 503, kind: "UNAVAILABLE", message: "The model is overloaded. Please try again later."},
	"overloaded": {status: 503, kind: "UNAVAILABLE", message: "The model is overloaded. Please try again later."},
	"504":        {status: 504, kind: "DEADLINE_EXCEEDED", message: "Deadline expired before operation could complete."},
	"context":    {status: 400, kind: "INVALID_ARGUMENT", message: "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."},
	"param":      {status: 400, kind: "INVALID_ARGUMENT", message: "Thinking level is not supported for this model."},
}
