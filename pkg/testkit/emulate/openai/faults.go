package openai

import "github.com/signalbox/signalbox/pkg/testkit/emulate/server"

// faults maps the names of directives, such as 429, to OpenAI's error responses. See
// server.Directives.
var faults = map[string]server.Problem{
	"400": {Status: 400, Kind: "invalid_request_error", Message: "We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON."},
	"401": {Status: 401, Kind: "invalid_request_error", Code: "invalid_api_key", Message: "Incorrect API key provided: sk-bad***. You can find your API key at https://platform.openai.com/account/api-keys."},
	"403": {Status: 403, Kind: "request_forbidden", Code: "unsupported_country_region_territory", Message: "Country, region, or territory not supported"},
	"404": {Status: 404, Kind: "invalid_request_error", Code: "model_not_found", Message: "The model `{model}` does not exist or you do not have access to it."},
	"409": {Status: 409, Kind: "invalid_request_error", Message: "Conflict. Please try again."},
	"413": {Status: 413, Kind: "invalid_request_error", Message: "Request body too large."},
	"422": {Status: 422, Kind: "invalid_request_error", Message: "Unprocessable entity."},
	"429": {
		Status: 429, Kind: "requests", Code: "rate_limit_exceeded",
		Message: "Rate limit reached for {model} in organization org-emulated on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in 120ms.",
		Header:  map[string]string{"Retry-After": "1", "Retry-After-Ms": "120", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "120ms"},
	},
	"slow":       {Status: 429, Kind: "requests", Code: "slow_down", Message: "Slow down: your request rate increased too fast.", Header: map[string]string{"Retry-After": "1"}},
	"quota":      {Status: 429, Kind: "insufficient_quota", Code: "insufficient_quota", Message: "You exceeded your current quota, please check your plan and billing details."},
	"500":        {Status: 500, Kind: "server_error", Message: "The server had an error while processing your request. Sorry about that!"},
	"503":        {Status: 503, Kind: "service_unavailable_error", Code: "server_is_overloaded", Message: "Our servers are currently overloaded. Please try again later."},
	"overloaded": {Status: 503, Kind: "service_unavailable_error", Code: "server_is_overloaded", Message: "Our servers are currently overloaded. Please try again later."},
	"context": {
		Status: 400, Kind: "invalid_request_error", Param: "messages", Code: "context_length_exceeded",
		Message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
	},
	"filter": {
		Status: 400, Kind: "invalid_request_error", Code: "content_policy_violation",
		Message: "Your request was rejected as a result of our safety system.",
	},
	"param": {
		Status: 400, Kind: "invalid_request_error", Param: "temperature", Code: "unsupported_parameter",
		Message: "Unsupported parameter: 'temperature' is not supported with this model.",
	},
}
