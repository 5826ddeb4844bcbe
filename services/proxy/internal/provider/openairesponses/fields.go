package openairesponses

import (
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

// requestFields holds the request members that are translated, as raw JSON. A member that is
// null is absent.
type requestFields struct {
	messages, tools, toolChoice, parallelToolCalls            []byte
	temperature, topP, logprobs, topLogprobs                  []byte
	reasoningEffort, reasoning, verbosity, responseFormat     []byte
	metadata, user, safetyIdentifier, serviceTier, moderation []byte
	promptCacheKey, promptCacheRetention, promptCacheOptions  []byte
	maxTokens, maxCompletionTokens                            []byte
}

func (f *requestFields) lookup(name string) *[]byte {
	return findField(name,
		field{"messages", &f.messages}, field{"tools", &f.tools}, field{"tool_choice", &f.toolChoice},
		field{"parallel_tool_calls", &f.parallelToolCalls}, field{"temperature", &f.temperature},
		field{"top_p", &f.topP}, field{"logprobs", &f.logprobs}, field{"top_logprobs", &f.topLogprobs},
		field{reasoningField, &f.reasoningEffort}, field{"reasoning", &f.reasoning},
		field{"verbosity", &f.verbosity}, field{"response_format", &f.responseFormat},
		field{"metadata", &f.metadata}, field{"user", &f.user}, field{"safety_identifier", &f.safetyIdentifier},
		field{"service_tier", &f.serviceTier}, field{"moderation", &f.moderation},
		field{"prompt_cache_key", &f.promptCacheKey}, field{"prompt_cache_retention", &f.promptCacheRetention},
		field{"prompt_cache_options", &f.promptCacheOptions},
		field{"max_tokens", &f.maxTokens}, field{"max_completion_tokens", &f.maxCompletionTokens},
	)
}

// unsupportedFields lists the fields for which a request is rejected. The Responses API has no
// equivalent, and the response would differ without them. The values are error texts for the
// client.
var unsupportedFields = map[string]string{
	"n":                  "it returns one choice per request",
	"stop":               "it has no stop sequences",
	"logit_bias":         "it cannot change the probabilities of tokens",
	"audio":              "it does not produce audio",
	"modalities":         "it produces text only",
	"functions":          `send "tools" instead`,
	"function_call":      `send "tool_choice" instead`,
	"web_search_options": "web searches are billed separately",
}

// readFields reads the members of the request. It rejects or drops unsupported members.
func (t *requestTranslator) readFields() error {
	for name, v := range jsonscan.Members(t.request.Body) {
		if err := t.readField(string(name), v); err != nil {
			return err
		}
	}
	return nil
}

func (t *requestTranslator) readField(name string, v []byte) error {
	why, isUnsupported := unsupportedFields[name]
	dst, isDefault := t.fields.lookup(name), outbound.IsDefault(name, v)
	switch {
	case jsonscan.IsNull(v), name == "model", name == "stream", name == "stream_options":
	case slices.Contains(t.wire.Reject, name):
		if !isDefault {
			return unsupportedError(name, "the model does not accept it")
		}
	case slices.Contains(t.wire.Drop, name):
		if !isDefault {
			t.reportDropped(name)
		}
	case !t.allowsValue(name, v):
		return unsupportedError(name, "the value must be one of "+strings.Join(t.wire.AllowedValues[name], ", "))
	case isUnsupported:
		if !isDefault {
			return unsupportedError(name, why)
		}
	case dst == nil:
		if !isDefault {
			t.reportDropped(name)
		}
	default:
		*dst = t.adaptValue(name, v)
	}
	return nil
}

func (t *requestTranslator) allowsValue(name string, v []byte) bool {
	allowed, isLimited := t.wire.AllowedValues[name]
	return !isLimited || !jsonscan.IsString(v) || slices.Contains(allowed, stringValue(v))
}

// adaptValue replaces a value that the model does not accept, according to wire.Limits
// and wire.Values. It returns nil if wire.Values removes the field.
func (t *requestTranslator) adaptValue(name string, v []byte) []byte {
	if limit, ok := t.wire.Limits[name]; ok {
		bounded := clampNumber(v, limit)
		if string(bounded) != string(v) {
			t.reportDropped(name)
		}
		return bounded
	}
	replacement, ok := t.wire.Values[name][stringValue(v)]
	switch {
	case !ok:
		return v
	case replacement == "":
		t.reportDropped(name)
		return nil
	}
	return quoteString(replacement)
}

func clampNumber(v []byte, limit catalog.Limit) []byte {
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return v
	}
	if lowest, err := strconv.ParseFloat(limit.Min, 64); err == nil && n < lowest {
		return []byte(limit.Min)
	}
	if highest, err := strconv.ParseFloat(limit.Max, 64); err == nil && n > highest {
		return []byte(limit.Max)
	}
	return v
}
