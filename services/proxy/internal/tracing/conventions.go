package tracing

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// The names of the GenAI conventions of OpenTelemetry, as of the repository
// open-telemetry/semantic-conventions-genai in September 2026. The conventions are not stable, and
// semconv of Go has them only up to v1.41.0, so this file is the only place that has the names.
const (
	OperationName = attribute.Key("gen_ai.operation.name")
	ProviderName  = attribute.Key("gen_ai.provider.name")
	RequestModel  = attribute.Key("gen_ai.request.model")
	TokenType     = attribute.Key("gen_ai.token.type")
	ErrorType     = attribute.Key("error.type")

	conversationID     = attribute.Key("gen_ai.conversation.id")
	requestStream      = attribute.Key("gen_ai.request.stream")
	requestMaxTokens   = attribute.Key("gen_ai.request.max_tokens")
	requestTemperature = attribute.Key("gen_ai.request.temperature")
	requestTopP        = attribute.Key("gen_ai.request.top_p")
	requestSeed        = attribute.Key("gen_ai.request.seed")
	requestChoiceCount = attribute.Key("gen_ai.request.choice.count")
	responseID         = attribute.Key("gen_ai.response.id")
	responseModel      = attribute.Key("gen_ai.response.model")
	firstChunk         = attribute.Key("gen_ai.response.time_to_first_chunk")
	inputTokens        = attribute.Key("gen_ai.usage.input_tokens")
	outputTokens       = attribute.Key("gen_ai.usage.output_tokens")
	cacheReadTokens    = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	cacheWriteTokens   = attribute.Key("gen_ai.usage.cache_creation.input_tokens")
	reasoningTokens    = attribute.Key("gen_ai.usage.reasoning.output_tokens")
	inputMessages      = attribute.Key("gen_ai.input.messages")
	outputMessages     = attribute.Key("gen_ai.output.messages")

	serverAddress  = attribute.Key("server.address")
	serverPort     = attribute.Key("server.port")
	httpMethod     = attribute.Key("http.request.method")
	httpRoute      = attribute.Key("http.route")
	httpStatusCode = attribute.Key("http.response.status_code")
)

// The names of attributes that no convention has.
const (
	// SignalboxProvider is the name of the provider in the policy.
	SignalboxProvider = attribute.Key("signalbox.provider")

	requestID       = attribute.Key("signalbox.request_id")
	accountID       = attribute.Key("signalbox.account_id")
	keyID           = attribute.Key("signalbox.key_id")
	requestedModel  = attribute.Key("signalbox.requested_model")
	routeName       = attribute.Key("signalbox.route")
	outcomeName     = attribute.Key("signalbox.outcome")
	policyHash      = attribute.Key("signalbox.policy_hash")
	reasonCode      = attribute.Key("signalbox.reason")
	ruleName        = attribute.Key("signalbox.rule")
	planList        = attribute.Key("signalbox.plan")
	attemptCount    = attribute.Key("signalbox.attempts")
	costNanoUSD     = attribute.Key("signalbox.cost_nano_usd")
	baselineModel   = attribute.Key("signalbox.baseline.model")
	baselineNanoUSD = attribute.Key("signalbox.baseline.cost_nano_usd")
	upstreamID      = attribute.Key("signalbox.upstream_request_id")
	requestContent  = attribute.Key("signalbox.request.content")
	responseContent = attribute.Key("signalbox.response.content")
)

// Values of gen_ai.token.type.
const (
	InputTokens  = "input"
	OutputTokens = "output"
)

// vendors lists values of gen_ai.provider.name by a part of the host name. The first match counts.
var vendors = []struct{ host, name string }{
	{"openai.azure.com", "azure.ai.openai"}, {"api.openai.com", "openai"}, {"anthropic.com", "anthropic"},
	{"aiplatform.googleapis.com", "gcp.vertex_ai"}, {"generativelanguage.googleapis.com", "gcp.gemini"},
	{"bedrock", "aws.bedrock"}, {"groq.com", "groq"}, {"deepseek.com", "deepseek"}, {"mistral.ai", "mistral_ai"},
	{"api.x.ai", "x_ai"}, {"perplexity.ai", "perplexity"}, {"cohere.", "cohere"},
}

// kinds lists the vendors of the kinds of providers whose host is not known.
var kinds = map[string]string{"anthropic": "anthropic", "gemini": "gcp.gemini"}

// vendorOf returns gen_ai.provider.name. A provider that the conventions do not know has its name of
// the policy.
func vendorOf(name, kind, host string) string {
	for _, v := range vendors {
		if strings.Contains(host, v.host) {
			return v.name
		}
	}
	if v := kinds[kind]; v != "" {
		return v
	}
	return name
}

// Operation returns gen_ai.operation.name.
func Operation(kind catalog.Kind, vendor string) string {
	switch {
	case kind == catalog.Embeddings:
		return "embeddings"
	case vendor == "gcp.gemini" || vendor == "gcp.vertex_ai":
		return "generate_content"
	}
	return "chat"
}

// TotalInput returns the input tokens as the conventions count them, with cached ones.
func TotalInput(u *catalog.Usage) int64 { return u.Input + u.CacheRead + u.CacheWrite }
