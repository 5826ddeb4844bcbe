package emulate

// openaiFaults contains OpenAI's error responses by the name of the directive.
var openaiFaults = map[string]problem{
	"400": {status: 400, kind: "invalid_request_error", message: "We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON."},
	"401": {status: 401, kind: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided: sk-bad***. You can find your API key at https://platform.openai.com/account/api-keys."},
	"403": {status: 403, kind: "request_forbidden", code: "unsupported_country_region_territory", message: "Country, region, or territory not supported"},
	"404": {status: 404, kind: "invalid_request_error", code: "model_not_found", message: "The model `{model}` does not exist or you do not have access to it."},
	"409": {status: 409, kind: "invalid_request_error", message: "Conflict. Please try again."},
	"413": {status: 413, kind: "invalid_request_error", message: "Request body too large."},
	"422": {status: 422, kind: "invalid_request_error", message: "Unprocessable entity."},
	"429": {
		status: 429, kind: "requests", code: "rate_limit_exceeded",
		message: "Rate limit reached for {model} in organization org-emulated on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in 120ms.",
		header:  map[string]string{"Retry-After": "1", "Retry-After-Ms": "120", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "120ms"},
	},
	"slow":       {status: 429, kind: "requests", code: "slow_down", message: "Slow down: your request rate increased too fast.", header: map[string]string{"Retry-After": "1"}},
	"quota":      {status: 429, kind: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your current quota, please check your plan and billing details."},
	"500":        {status: 500, kind: "server_error", message: "The server had an error while processing your request. Sorry about that!"},
	"503":        {status: 503, kind: "service_unavailable_error", code: "server_is_overloaded", message: "Our servers are currently overloaded. Please try again later."},
	"overloaded": {status: 503, kind: "service_unavailable_error", code: "server_is_overloaded", message: "Our servers are currently overloaded. Please try again later."},
	"context": {
		status: 400, kind: "invalid_request_error", param: "messages", code: "context_length_exceeded",
		message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
	},
	"filter": {
		status: 400, kind: "invalid_request_error", code: "content_policy_violation",
		message: "Your request was rejected as a result of our safety system.",
	},
	"param": {
		status: 400, kind: "invalid_request_error", param: "temperature", code: "unsupported_parameter",
		message: "Unsupported parameter: 'temperature' is not supported with this model.",
	},
}
