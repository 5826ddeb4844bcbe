package gemini

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// renamedMembers maps members of the generation config to chat members. Their values are
// copied unchanged.
var renamedMembers = map[string]string{
	"temperature": "temperature", "topP": "top_p", "topK": "top_k", "maxOutputTokens": "max_tokens", "candidateCount": "n",
	"seed": "seed", "presencePenalty": "presence_penalty", "frequencyPenalty": "frequency_penalty",
	"responseLogprobs": "logprobs",
}

// configFields are the members of the generation config that need more than a new name.
type configFields struct {
	stops, mediaType, schema, jsonSchema, thinking, logprobs, responseLogprobs, modalities jsontext.Value
}

// writeConfig writes the chat members for the generation config.
func (t *requestTranslator) writeConfig(w *jsonWriter) {
	var c configFields
	fields := []field{
		{"stopSequences", &c.stops}, {"responseMimeType", &c.mediaType}, {"responseSchema", &c.schema},
		{"responseJsonSchema", &c.jsonSchema}, {"thinkingConfig", &c.thinking}, {"logprobs", &c.logprobs},
		{"responseModalities", &c.modalities},
	}
	readFields(t.config, func(name string, v jsontext.Value) {
		renamed, ok := renamedMembers[camelCase([]byte(name))]
		if !ok {
			t.drop(t.configName + "." + name)
			return
		}
		if w.key(renamed).raw(v); renamed == "logprobs" {
			c.responseLogprobs = v
		}
	}, fields...)
	t.checkModalities(c.modalities)
	if len(oneOrMany(c.stops)) > 0 {
		w.key("stop").raw(c.stops)
	}
	if isTrue(c.responseLogprobs) && c.logprobs != nil {
		w.key("top_logprobs").raw(c.logprobs)
	}
	t.writeResponseFormat(w, &c)
	t.writeThinking(w, c.thinking)
}

// checkModalities rejects responses with other media than text.
func (t *requestTranslator) checkModalities(list jsontext.Value) {
	for v := range jsonscan.Elements(list) {
		if m := jsonscan.DecodeText(v); !strings.EqualFold(m, "TEXT") && m != "MODALITY_UNSPECIFIED" {
			t.reject(t.configName+".responseModalities", "the response can only be text")
		}
	}
}

func (t *requestTranslator) writeResponseFormat(w *jsonWriter, c *configFields) {
	kind := strings.ToLower(jsonscan.DecodeText(c.mediaType))
	switch {
	case kind != "" && kind != "text/plain" && kind != "application/json":
		t.reject(t.configName+".responseMimeType", "the response can only be text or JSON")
	case c.schema != nil, c.jsonSchema != nil:
		w.key("response_format").open('{')
		w.key("type").text("json_schema")
		w.key("json_schema").open('{')
		w.key("name").text("response")
		if w.key("schema"); c.jsonSchema != nil {
			w.raw(c.jsonSchema)
		} else {
			writeSchema(w, c.schema)
		}
		w.close("}}")
	case kind == "application/json":
		w.key("response_format").literal(`{"type":"json_object"}`)
	}
}

// thinkingEfforts maps Google's thinking levels to reasoning efforts.
var thinkingEfforts = map[string]string{"MINIMAL": "minimal", "LOW": "low", "MEDIUM": "medium", "HIGH": "high"}

// lowBudget and mediumBudget are the largest thinking budgets, in tokens, for the efforts low
// and medium. The adapter for Google maps the efforts to the same budgets.
const (
	lowBudget    = 1024
	mediumBudget = 8192
)

func (t *requestTranslator) writeThinking(w *jsonWriter, v jsontext.Value) {
	var include, budget, level jsontext.Value
	path := t.configName + ".thinkingConfig"
	readFields(v, t.dropIn(path), field{"includeThoughts", &include}, field{"thinkingBudget", &budget}, field{"thinkingLevel", &level})
	t.includeThoughts = isTrue(include)
	effort := thinkingEfforts[strings.ToUpper(jsonscan.DecodeText(level))]
	if n, ok := jsonscan.ParseInteger(budget); ok && effort == "" {
		effort = budgetEffort(n)
	}
	if effort != "" {
		w.key("reasoning_effort").text(effort)
	}
}

// budgetEffort returns the effort for a thinking budget. It returns "" for a negative budget,
// with which the model decides by itself.
func budgetEffort(tokens int64) string {
	switch {
	case tokens < 0:
		return ""
	case tokens == 0:
		return "none"
	case tokens <= lowBudget:
		return "low"
	case tokens <= mediumBudget:
		return "medium"
	}
	return "high"
}
