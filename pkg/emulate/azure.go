package emulate

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// azure is the dialect of Azure OpenAI. It differs from OpenAI in paths, credentials, errors and content
// filter results.
type azure struct{}

func (a azure) serve(c *call) (scripted.Response, *problem) {
	c.key = c.r.Header.Get("Api-Key")
	if c.key == "" {
		c.key = c.bearer()
	}
	if c.key == "" || !c.server.acceptsKey(c.key) {
		return scripted.Response{}, c.findProblem("401")
	}
	w := openaiWriter{azure: true}
	if path, ok := strings.CutPrefix(c.path(), "/openai/v1"); ok {
		return openai{}.route(c, path, w)
	}
	path, ok := strings.CutPrefix(c.path(), "/openai/deployments/")
	deployment, rest, _ := strings.Cut(path, "/")
	if !ok || rest == "" || c.r.URL.Query().Get("api-version") == "" {
		return scripted.Response{}, &problem{status: 404, code: "404", message: "Resource not found"}
	}
	w.deployment = deployment
	return openai{}.route(c, "/"+rest, w)
}

func (azure) encodeError(c *call, p *problem) scripted.Response {
	a := scripted.JSON(p.status, azureError(p))
	for name, value := range map[string]string{"Apim-Request-Id": c.id, "X-Ms-Region": "Sweden Central", "X-Request-Id": "req_" + c.id} {
		a = a.WithHeader(name, value)
	}
	for name, value := range p.header {
		a = a.WithHeader(name, value)
	}
	return a
}

func (azure) encodeStreamError(_ *call, p *problem) string { return "data: " + azureError(p) + "\n\n" }

// azureError encodes a problem. Azure uses OpenAI's format for errors of the model. For errors of its own
// gateway, whose kind is empty, it uses a shorter format.
func azureError(p *problem) string {
	if p.kind != "" {
		return openaiError(p)
	}
	body := `{"error":{"code":` + encodeJSON(p.code) + `,"message":` + encodeJSON(p.message)
	if p.param != "" {
		body += `,"param":` + encodeJSON(p.param)
	}
	return body + p.details + `}}`
}

// azureFaults contains Azure's error responses by the name of the directive.
var azureFaults = map[string]problem{
	"400": openaiFaults["400"],
	"401": {status: 401, code: "401", message: "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."},
	"403": {status: 403, code: "403", message: "Access denied due to Virtual Network/Firewall rules."},
	"404": {status: 404, code: "DeploymentNotFound", message: "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."},
	"408": {status: 408, code: "Timeout", message: "The operation was timeout."},
	"413": {status: 413, code: "413", message: "Request body too large."},
	"429": {
		status: 429, code: "429", message: "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 1 second.",
		header: map[string]string{"Retry-After": "1", "Retry-After-Ms": "1000", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Remaining-Tokens": "0"},
	},
	"quota":      {status: 429, code: "insufficient_quota", message: "You exceeded your current quota, please check your plan and billing details."},
	"500":        {status: 500, code: "InternalServerError", message: "Internal server error"},
	"503":        {status: 503, code: "ServiceUnavailable", message: "The service is temporarily unable to process your request. Please try again later."},
	"overloaded": {status: 503, code: "ServiceUnavailable", message: "The service is temporarily unable to process your request. Please try again later."},
	"context":    openaiFaults["context"],
	"param":      openaiFaults["param"],
	"filter": {
		status: 400, code: "content_filter", param: "prompt",
		message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
		details: `,"type":null,"status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":true,"severity":"medium"}}}`,
	},
}
