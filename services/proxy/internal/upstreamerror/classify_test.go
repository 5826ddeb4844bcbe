package upstreamerror_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// Every class of error, in the form that each vendor uses for it.
func TestErrorsOfEveryVendor(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
		want   apperr.Code
	}{
		"auth, openai":       {401, `{"error":{"message":"Incorrect API key provided: sk-1","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, apperr.ProviderAuth},
		"auth, anthropic":    {401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}`, apperr.ProviderAuth},
		"auth, anthropic 3":  {403, `{"type":"error","error":{"type":"permission_error","message":"no access"}}`, apperr.ProviderAuth},
		"auth, gemini":       {400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`, apperr.ProviderAuth},
		"auth, azure":        {401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key."}}`, apperr.ProviderAuth},
		"auth, mistral":      {401, `{"message":"Unauthorized","request_id":"1"}`, apperr.ProviderAuth},
		"auth, perplexity":   {401, `<html><head><title>401 Authorization Required</title></head></html>`, apperr.ProviderAuth},
		"auth, bedrock":      {403, `{"__type":"UnrecognizedClientException","message":"The security token is invalid."}`, apperr.ProviderAuth},
		"money, openai":      {429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"credit_balance_exhausted"}}`, apperr.ProviderQuotaExhausted},
		"money, openai org":  {429, `{"error":{"message":"x","type":"x","code":"organization_spend_limit_exceeded"}}`, apperr.ProviderQuotaExhausted},
		"money, openai use":  {429, `{"error":{"message":"x","type":"x","code":"organization_usage_limit_exceeded"}}`, apperr.ProviderQuotaExhausted},
		"money, openai old":  {429, `{"error":{"message":"x","code":"billing_hard_limit_reached"}}`, apperr.ProviderQuotaExhausted},
		"money, anthropic":   {402, `{"type":"error","error":{"type":"billing_error","message":"x"}}`, apperr.ProviderQuotaExhausted},
		"money, anthropic 4": {400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, apperr.ProviderQuotaExhausted},
		"money, anthropic 9": {429, `{"type":"error","error":{"type":"rate_limit_error","message":"x","details":{"error_code":"enforced_spend_limit_reached"}}}`, apperr.ProviderQuotaExhausted},
		"money, deepseek":    {402, `{"error":{"message":"Insufficient Balance","type":"unknown_error"}}`, apperr.ProviderQuotaExhausted},
		"money, moonshot":    {429, `{"error":{"message":"x","type":"exceeded_current_quota_error"}}`, apperr.ProviderQuotaExhausted},
		"rate, openai":       {429, `{"error":{"message":"Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000","type":"tokens","code":"rate_limit_exceeded"}}`, apperr.ProviderRateLimited},
		"rate, slow down":    {429, `{"error":{"message":"x","code":"slow_down"}}`, apperr.ProviderRateLimited},
		"rate, anthropic":    {429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your limit of 40,000 input tokens per minute; too many tokens."}}`, apperr.ProviderRateLimited},
		"rate, gemini":       {429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}]}}]`, apperr.ProviderRateLimited},
		"rate, groq":         {429, `{"error":{"message":"x","type":"tokens","code":"rate_limit_exceeded"}}`, apperr.ProviderRateLimited},
		"rate, mistral":      {429, `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}`, apperr.ProviderRateLimited},
		"rate, openrouter":   {429, `{"error":{"code":429,"message":"Rate limit exceeded","metadata":{"limit_source":"free"}}}`, apperr.ProviderRateLimited},
		"rate, z.ai":         {429, `{"error":{"code":"1302","message":"x"}}`, apperr.ProviderRateLimited},
		"day, gemini":        {429, `{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}`, apperr.ProviderQuotaExhausted},
		"day, gemini delay":  {429, `{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"4000s"}]}}`, apperr.ProviderQuotaExhausted},
		"day, gemini none":   {429, `{"error":{"code":429,"message":"Quota exceeded for metric x, limit: 0","status":"RESOURCE_EXHAUSTED"}}`, apperr.ProviderQuotaExhausted},
		"busy, openai":       {503, `{"error":{"message":"x","type":"service_unavailable_error","code":"server_is_overloaded"}}`, apperr.ProviderOverloaded},
		"busy, anthropic":    {529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, apperr.ProviderOverloaded},
		"busy, gemini":       {503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, apperr.ProviderOverloaded},
		"busy, tei":          {429, `{"message":"Model is overloaded","code":429,"type":"Overloaded"}`, apperr.ProviderOverloaded},
		"busy, llama.cpp":    {503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, apperr.ProviderOverloaded},
		"busy, groq flex":    {498, `{"error":{"message":"x","code":"capacity_exceeded"}}`, apperr.ProviderOverloaded},
		"time, bedrock":      {408, `{"__type":"ModelTimeoutException","message":"x"}`, apperr.ProviderTimeout},
		"failed, openai":     {500, `{"error":{"message":"The server had an error","type":"server_error","code":null}}`, apperr.ProviderUpstream},
		"failed, bedrock":    {424, `{"__type":"ModelErrorException","originalStatusCode":500,"message":"x"}`, apperr.ProviderUpstream},
		"failed, cloudflare": {524, `<html>timeout</html>`, apperr.ProviderUpstream},
		"failed, groq tool":  {400, `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<f>"}}`, apperr.ProviderInvalidResponse},
		"filter, azure":      {400, `{"error":{"code":"content_filter","message":"The response was filtered","param":"prompt","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true,"severity":"high"},"violence":{"filtered":false}}}}}`, apperr.ContentFiltered},
		"filter, openai":     {400, `{"error":{"message":"Your request was rejected as a result of our safety system.","type":"invalid_request_error","code":null}}`, apperr.ContentFiltered},
		"filter, anthropic":  {400, `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, apperr.ContentFiltered},
		"filter, openrouter": {403, `{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"],"flagged_input":"x"}}}`, apperr.ContentFiltered},
		"gone, openai":       {404, `{"error":{"message":"The model does not exist","type":"invalid_request_error","code":"model_not_found"}}`, apperr.ProviderModelUnavailable},
		"gone, azure":        {404, `{"error":{"code":"DeploymentNotFound","message":"x"}}`, apperr.ProviderModelUnavailable},
		"gone, as a 400":     {400, `{"error":{"message":"x","code":"model_not_found"}}`, apperr.ProviderModelUnavailable},
		"bad, param":         {400, `{"error":{"message":"Unsupported parameter: 'max_tokens'","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, apperr.ProviderBadRequest},
		"bad, xai":           {400, `{"code":"Client specified an invalid argument","error":"tools are wrong"}`, apperr.ProviderBadRequest},
		"bad, cerebras":      {400, `{"message":"x","type":"invalid_request_error","param":"n","code":"wrong_api_format"}`, apperr.ProviderBadRequest},
		"bad, ollama":        {400, `{"error":{"message":"x","type":"invalid_request_error","param":null,"code":null}}`, apperr.ProviderBadRequest},
		"bad, long string":   {400, `{"error":{"message":"Invalid 'user': string too long. Expected a string with maximum length 64","param":"user","code":"string_above_max_length"}}`, apperr.ProviderBadRequest},
		"large, groq":        {413, `{"error":{"message":"Request Entity Too Large","code":"request_too_large"}}`, apperr.RequestTooLarge},
	} {
		e := upstreamerror.Parse(tc.status, nil, []byte(tc.body))
		require.Equal(t, tc.want, e.Code, name)
		require.Equal(t, tc.status, e.Details["upstream_status"], name)
	}
}

// An exceeded context, in the form that each vendor uses, with its numbers.
func TestContextLengthOfEveryVendor(t *testing.T) {
	for name, tc := range map[string]struct {
		status           int
		body             string
		limit, requested any
	}{
		"openai":       {400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).","code":"context_length_exceeded"}}`, int64(8192), int64(9000)},
		"openai, code": {400, `{"error":{"message":"x","code":"context_length_exceeded"}}`, nil, nil},
		"openai, new":  {400, `{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300001 tokens.","code":"x"}}`, int64(272000), int64(300001)},
		"anthropic":    {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, int64(200000), int64(210000)},
		"anthropic, +": {400, "{\"error\":{\"message\":\"input length and `max_tokens` exceed context limit: 180000 + 30000 > 200000, decrease input length\"}}", int64(200000), int64(210000)},
		"gemini":       {400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, int64(1048576), int64(1200000)},
		"bedrock":      {400, `{"message":"Input is too long for requested model."}`, nil, nil},
		"cohere":       {400, `{"message":"too many tokens: total number of tokens 9,000 exceeds 8,192"}`, int64(8192), int64(9000)},
		"tgi":          {422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`\",\"error_type\":\"validation\"}", int64(4096), int64(4200)},
		"llama.cpp":    {400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`, int64(4096), int64(5000)},
		"llama.cpp, 5": {500, `{"error":{"code":500,"message":"the request exceeds the available context size"}}`, nil, nil},
		"cerebras":     {400, `{"message":"Please reduce the length of the messages. Current length is 9000 while limit is 8192","code":"x"}`, int64(8192), int64(9000)},
		"vllm":         {400, `{"error":{"message":"The input length 5000 exceeds the model's context, 4096","type":"BadRequestError","code":400}}`, int64(4096), int64(5000)},
		"fireworks":    {400, `{"error":{"message":"The prompt is too long: 9000, model maximum context length: 8192"}}`, int64(8192), int64(9000)},
		"xai":          {400, `{"code":"x","error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`, int64(131072), int64(140000)},
		"openrouter":   {400, `{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"message\":\"prompt: length 9000 is longer than the model's context length 8192\"}","provider_name":"x"}}}`, int64(8192), int64(9000)},
		"vllm, model":  {400, `{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that it is no smaller.","type":"BadRequestError","code":400}}`, int64(4096), int64(5000)},
		"vllm, output": {400, `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 3000 input tokens (2000 > 4096 - 3000).","code":400}}`, int64(4096), int64(5000)},
		"moonshot":     {400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)","type":"invalid_request_error"}}`, int64(262144), int64(269030)},
		"together":     {422, `{"error":{"message":"Input is longer than the model's context length"}}`, nil, nil},
		"mistral":      {400, `{"object":"error","message":"Prompt contains 9000 tokens, too large for model with 8192 maximum context length","type":"invalid_request_error"}`, int64(8192), int64(9000)},
	} {
		e := upstreamerror.Parse(tc.status, nil, []byte(tc.body))
		require.Equal(t, apperr.ContextLengthExceeded, e.Code, name)
		require.Equal(t, tc.limit, e.Details["limit"], name)
		require.Equal(t, tc.requested, e.Details["requested"], name)
		require.Contains(t, e.Message, "context_length_exceeded", name)
		require.Contains(t, e.Message, "maximum context length", name)
	}
}

func TestErrorsNameTheField(t *testing.T) {
	for body, param := range map[string]string{
		`{"error":{"message":"x","param":"max_tokens"}}`:                                                                          "max_tokens",
		`{"detail":[{"loc":["body","messages",0,"name"],"msg":"extra fields not permitted","type":"value_error.extra"}]}`:         "messages.0.name",
		`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs"}]}}`:         "seed",
		`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"x","details":[{"fieldViolations":[{"field":"tools[0]"}]}]}}`: "tools[0]",
	} {
		e := upstreamerror.Parse(422, nil, []byte(body))
		require.Equal(t, apperr.ProviderBadRequest, e.Code)
		require.Equal(t, param, e.Details["param"], body)
		require.NotEmpty(t, e.Details["upstream_message"])
	}
	e := upstreamerror.Parse(400, nil, []byte(`{"error":{"code":"content_filter","message":"m","innererror":{"content_filter_result":{"hate":{"filtered":true},"violence":{"filtered":false}}}}}`))
	require.Equal(t, []string{"hate"}, e.Details["categories"])
	e = upstreamerror.Parse(403, nil, []byte(`{"error":{"code":403,"message":"m","metadata":{"reasons":["violence","x"]}}}`))
	require.Equal(t, []string{"violence", "x"}, e.Details["categories"])
}

func TestErrorsTellHowLongToWait(t *testing.T) {
	info := `{"error":{"code":429,"message":"Please retry in 46s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}]}}`
	for name, tc := range map[string]struct {
		header map[string][]string
		body   string
		want   time.Duration
	}{
		"header before all": {map[string][]string{"Retry-After": {"7"}}, info, 7 * time.Second},
		"info before words": {nil, info, 34400 * time.Millisecond},
		"words":             {nil, `{"error":{"message":"Rate limit reached. Please try again in 5.289s. Visit"}}`, 5289 * time.Millisecond},
		"words, long":       {nil, `{"error":{"message":"Please try again in 6m0s."}}`, 6 * time.Minute},
		"words, short":      {nil, `{"error":{"message":"Please try again in 250ms"}}`, 250 * time.Millisecond},
		"words, spelled":    {nil, `{"message":"retry after 3 seconds"}`, 3 * time.Second},
		"words, minutes":    {nil, `{"message":"try again in 2 minutes"}`, 2 * time.Minute},
		"words, none":       {nil, `{"message":"try again in a while"}`, 0},
	} {
		require.Equal(t, tc.want, upstreamerror.Parse(429, tc.header, []byte(tc.body)).RetryAfter, name)
	}
	e := upstreamerror.Parse(402, map[string][]string{"Retry-After": {"2"}}, []byte(`{"error":{"code":402,"message":"x"}}`))
	require.Equal(t, apperr.ProviderRateLimited, e.Code, "money held by calls on their way comes back")
	require.False(t, upstreamerror.Parse(429, map[string][]string{"X-Should-Retry": {"false"}}, nil).IsRetryable())
}

func TestErrorsUnder200(t *testing.T) {
	for body, want := range map[string]apperr.Code{
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`:                                    apperr.ProviderOverloaded,
		`{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`:                                apperr.ProviderUpstream,
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}`: apperr.ContextLengthExceeded,
		`{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}`:                                                    apperr.ProviderOverloaded,
		`[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}]`:                                           apperr.ProviderRateLimited,
		`{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"finish_reason":"error"}]}`:                 apperr.ProviderUpstream,
		`{"error":{"message":"x","type":"server_error"}}`:                                                                apperr.ProviderUpstream,
		`{"error":{"message":"Insufficient Balance","type":"unknown_error"}}`:                                            apperr.ProviderQuotaExhausted,
		`{"throttlingException":{"message":"x"},"__type":"ThrottlingException"}`:                                         apperr.ProviderRateLimited,
		`{"error":"something"}`: apperr.ProviderInvalidResponse,
	} {
		require.Equal(t, want, upstreamerror.ParseInBand([]byte(body)).Code, body)
	}
}
