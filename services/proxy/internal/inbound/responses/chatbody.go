package responses

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// appendBody appends the chat completion.
func (t *requestTranslator) appendBody(dst []byte) []byte {
	f := &t.fields
	dst = append(append(dst, `{"model":`...), f.model...)
	dst = appendList(appendName(dst, "messages"), t.messages)
	if len(t.tools.definitions) > 0 {
		dst = appendList(appendName(dst, "tools"), t.tools.definitions)
		dst = appendMember(dst, "tool_choice", t.tools.choice)
		dst = appendMember(dst, "parallel_tool_calls", f.parallelCalls)
	}
	dst = t.appendTextOptions(dst)
	dst = t.appendReasoningOptions(dst)
	dst = appendMember(dst, "max_completion_tokens", f.maxOutputTokens)
	dst = appendMember(dst, "temperature", f.temperature)
	dst = appendMember(dst, "top_p", f.topP)
	if n, ok := jsonscan.ParseInteger(f.topLogprobs); ok && n > 0 {
		dst = appendMember(append(dst, `,"logprobs":true`...), "top_logprobs", f.topLogprobs)
	}
	dst = appendMember(dst, "metadata", f.metadata)
	dst = appendMember(dst, "prompt_cache_key", f.cacheKey)
	dst = appendMember(dst, "prompt_cache_retention", f.cacheRetention)
	dst = appendMember(dst, "prompt_cache_options", f.cacheOptions)
	dst = appendMember(dst, "safety_identifier", f.safetyIdentifier)
	dst = appendMember(dst, "user", f.user)
	dst = appendMember(dst, "service_tier", f.serviceTier)
	return append(t.appendStreamOptions(dst), '}')
}

func (t *requestTranslator) appendStreamOptions(dst []byte) []byte {
	if string(t.fields.stream) != "true" {
		return dst
	}
	dst = append(dst, `,"stream":true,"stream_options":{"include_usage":true`...)
	var obfuscation jsontext.Value
	readFields(t.fields.streamOptions, func(name string) { t.reportDropped("stream_options." + name) }, field{"include_obfuscation", &obfuscation})
	return append(appendMember(dst, "include_obfuscation", obfuscation), '}')
}

// appendTextOptions appends the options in "text".
func (t *requestTranslator) appendTextOptions(dst []byte) []byte {
	var format, verbosity jsontext.Value
	readFields(t.fields.text, func(name string) { t.reportDropped("text." + name) }, field{"format", &format}, field{"verbosity", &verbosity})
	dst = appendMember(dst, "verbosity", verbosity)
	var kind, name, description, schema, strict jsontext.Value
	readFields(format, func(name string) { t.reportDropped("text.format." + name) },
		field{"type", &kind}, field{"name", &name}, field{"description", &description}, field{"schema", &schema}, field{"strict", &strict})
	switch jsonscan.DecodeText(kind) {
	case "", "text":
		return dst
	case "json_schema":
		dst = append(dst, `,"response_format":{"type":"json_schema","json_schema":{"name":`...)
		if len(name) == 0 {
			name = []byte(`"response"`)
		}
		dst = appendMember(append(dst, name...), "description", description)
		dst = appendMember(dst, "schema", schema)
		return append(appendMember(dst, "strict", strict), "}}"...)
	}
	dst = append(dst, `,"response_format":{"type":`...)
	return append(append(dst, kind...), '}')
}

// appendReasoningOptions appends the effort. A summary of the reasoning is part of every
// response if the provider reports one.
func (t *requestTranslator) appendReasoningOptions(dst []byte) []byte {
	var effort, summary, generateSummary jsontext.Value
	readFields(t.fields.reasoning, func(name string) { t.reportDropped("reasoning." + name) },
		field{"effort", &effort}, field{"summary", &summary}, field{"generate_summary", &generateSummary})
	return appendMember(dst, "reasoning_effort", effort)
}
