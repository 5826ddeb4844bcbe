package openai

import (
	"cmp"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// azureDialect is the dialect of Azure OpenAI. It differs from OpenAI in paths, credentials, errors and content
// filter results.
type azureDialect struct{}

// NewAzure returns an emulated Azure OpenAI. It serves the same endpoints as OpenAI, at /openai/v1 and at
// /openai/deployments/{deployment}?api-version=...
func NewAzure(o server.Options) *server.Server {
	return server.New("azure", o, azureDialect{}, azureFaults, models, prefixes)
}

func (a azureDialect) Serve(c *server.Call) (scripted.Response, *server.Problem) {
	c.Key = cmp.Or(c.Request.Header.Get("Api-Key"), c.Bearer())
	if c.Key == "" || !c.Server.AcceptsKey(c.Key) {
		return scripted.Response{}, c.FindProblem("401")
	}
	w := writer{azure: true}
	if path, ok := strings.CutPrefix(c.Path(), "/openai/v1"); ok {
		return dialect{}.route(c, path, w)
	}
	path, ok := strings.CutPrefix(c.Path(), "/openai/deployments/")
	deployment, rest, _ := strings.Cut(path, "/")
	if !ok || rest == "" || c.Request.URL.Query().Get("api-version") == "" {
		return scripted.Response{}, &server.Problem{Status: 404, Code: "404", Message: "Resource not found"}
	}
	w.deployment = deployment
	return dialect{}.route(c, "/"+rest, w)
}

func (azureDialect) EncodeError(c *server.Call, p *server.Problem) scripted.Response {
	return scripted.JSON(p.Status, azureError(p)).WithHeaders(map[string]string{
		"Apim-Request-Id": c.ID, "X-Ms-Region": "Sweden Central", "X-Request-Id": "req_" + c.ID,
	})
}

func (azureDialect) EncodeStreamError(c *server.Call, p *server.Problem) string {
	if strings.HasSuffix(c.Path(), responsesPath) {
		return encodeResponsesError(p)
	}
	return "data: " + azureError(p) + "\n\n"
}

// azureError encodes a problem. Azure uses OpenAI's format for errors of the model. For errors of its own
// gateway, whose kind is empty, it uses a shorter format.
func azureError(p *server.Problem) string {
	if p.Kind != "" {
		return encodeErrorBody(p)
	}
	body := `{"error":{"code":` + server.EncodeJSON(p.Code) + `,"message":` + server.EncodeJSON(p.Message)
	if p.Param != "" {
		body += `,"param":` + server.EncodeJSON(p.Param)
	}
	return body + p.Details + `}}`
}

// azureFaults contains Azure's error responses by the name of the directive.
var azureFaults = map[string]server.Problem{
	"400": faults["400"],
	"401": {Status: 401, Code: "401", Message: "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."},
	"403": {Status: 403, Code: "403", Message: "Access denied due to Virtual Network/Firewall rules."},
	"404": {Status: 404, Code: "DeploymentNotFound", Message: "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."},
	"408": {Status: 408, Code: "Timeout", Message: "The operation was timeout."},
	"413": {Status: 413, Code: "413", Message: "Request body too large."},
	"429": {
		Status: 429, Code: "429", Message: "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 1 second.",
		Header: map[string]string{"Retry-After": "1", "Retry-After-Ms": "1000", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Remaining-Tokens": "0"},
	},
	"quota":      {Status: 429, Code: "insufficient_quota", Message: "You exceeded your current quota, please check your plan and billing details."},
	"500":        {Status: 500, Code: "InternalServerError", Message: "Internal server error"},
	"503":        {Status: 503, Code: "ServiceUnavailable", Message: "The service is temporarily unable to process your request. Please try again later."},
	"overloaded": {Status: 503, Code: "ServiceUnavailable", Message: "The service is temporarily unable to process your request. Please try again later."},
	"context":    faults["context"],
	"param":      faults["param"],
	"filter": {
		Status: 400, Code: "content_filter", Param: "prompt",
		Message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
		Details: `,"type":null,"status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":true,"severity":"medium"}}}`,
	},
}
