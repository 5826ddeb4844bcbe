package catalog_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func TestWireOver(t *testing.T) {
	provider := &catalog.Wire{
		Drop: []string{"store", "user"}, Reject: []string{"n"}, Rename: map[string]string{"seed": "random_seed"},
		Roles: map[string]string{"developer": "system"}, Reasoning: catalog.ThinkingSwitch, ToolIDLength: 9,
		HTTP: &catalog.WireHTTP{AuthHeader: "api-key", AuthPrefix: "x ", Query: map[string]string{"a": "1"}},
	}
	place := &catalog.Wire{
		Drop: []string{"top_p", "store"}, Keep: []string{"user", "n"}, Rename: map[string]string{"a": "b"},
		Reasoning: catalog.ReasoningObject, Add: map[string]json.RawMessage{"x": json.RawMessage("1")}, TextContent: true, DropEmpty: true,
	}
	want := &catalog.Wire{
		Drop: []string{"store", "top_p"}, Rename: map[string]string{"seed": "random_seed", "a": "b"},
		Roles: map[string]string{"developer": "system"}, Reasoning: catalog.ReasoningObject, ToolIDLength: 9,
		Add: map[string]json.RawMessage{"x": json.RawMessage("1")}, TextContent: true, DropEmpty: true,
	}
	require.Equal(t, want, provider.ForEndpoint(place), "the address is the provider's")
	require.Equal(t, []string{"store", "user"}, provider.Drop, "nothing is changed")
	require.NotNil(t, provider.HTTP)

	other := provider.Merge(&catalog.Wire{HTTP: &catalog.WireHTTP{AuthHeader: "x-key", ChatPath: "/c", Query: map[string]string{"b": "2"}}})
	require.Equal(t, &catalog.WireHTTP{AuthHeader: "x-key", ChatPath: "/c", Query: map[string]string{"a": "1", "b": "2"}}, other.HTTP)
	require.Equal(t, provider.Drop, other.Drop)

	only := &catalog.Wire{AllowedValues: map[string][]string{"service_tier": {"auto"}, "verbosity": {"low"}}}
	require.Equal(t, &catalog.Wire{AllowedValues: map[string][]string{"verbosity": {"low"}}}, only.Merge(&catalog.Wire{Keep: []string{"service_tier"}}))
	require.Len(t, only.AllowedValues, 2, "nothing is changed")

	words := func(pairs map[string]string) *catalog.Wire {
		return &catalog.Wire{Values: map[string]map[string]string{"reasoning_effort": pairs}}
	}
	low := words(map[string]string{"none": "low", "minimal": "low"})
	require.Equal(t, words(map[string]string{"none": "low", "minimal": "minimal", "max": "high"}),
		low.Merge(words(map[string]string{"minimal": "minimal", "max": "high"})), "word by word")
	require.Equal(t, words(map[string]string{"none": "low", "minimal": "low"}), low)

	var none *catalog.Wire
	require.Nil(t, none.Merge(nil))
	require.Nil(t, none.ForEndpoint(&catalog.Wire{Keep: []string{"store"}}), "keeping a field that is not dropped has no effect")
	require.Nil(t, (&catalog.Wire{HTTP: &catalog.WireHTTP{AuthHeader: "k"}}).ForEndpoint(nil))
}

// Every field survives merging, on either side.
func TestEveryPartOfAWireIsMerged(t *testing.T) {
	parts := map[string]any{
		"drop": []string{"a"}, "refuse": []string{"a"}, "drop_default": []string{"a"}, "add": map[string]int{"a": 1},
		"rename": map[string]string{"a": "b"}, "values": map[string]any{"a": map[string]string{"b": "c"}},
		"only": map[string]any{"a": []string{"b"}}, "limits": map[string]any{"a": map[string]string{"min": "1"}}, "roles": map[string]string{"developer": "system"},
		"api": "responses", "reasoning": "budget", "tool_id_length": 9, "max_inputs": 3, "http": map[string]string{"chat_path": "/c", "embeddings_path": "/e", "responses_path": "/r"},
	}
	fields := reflect.TypeFor[catalog.Wire]()
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		part, listed := parts[name]
		if fields.Field(i).Type.Kind() == reflect.Bool {
			part, listed = true, true
		}
		if name == "keep" {
			continue // it is used up
		}
		require.True(t, listed, "%s: give it a value here", name)
		text, err := json.Marshal(map[string]any{name: part})
		require.NoError(t, err)
		w := &catalog.Wire{}
		require.NoError(t, json.Unmarshal(text, w))
		var none *catalog.Wire
		require.Equal(t, w, none.Merge(w), name)
		require.Equal(t, w, w.Merge(nil), name)
	}
}

func TestWireFaults(t *testing.T) {
	for field, give := range map[string]string{
		"api":            `{"api":"embeddings"}`,
		"drop":           `{"drop":["store","model"]}`,
		"keep":           `{"keep":["messages[]"]}`,
		"refuse":         `{"refuse":["tools[].type"]}`,
		"drop_default":   `{"drop_default":["stream"]}`,
		"add":            `{"add":{"messages":[]}}`,
		"rename":         `{"rename":{"a":"b","b":"a2"}}`,
		"only":           `{"only":{"service_tier":[]}}`,
		"values":         `{"values":{"model":{"a":"b"}}}`,
		"limits":         `{"limits":{"temperature":{"min":"2","max":"1"}}}`,
		"roles":          `{"roles":{"user":"system"}}`,
		"reasoning":      `{"reasoning":"hard"}`,
		"tool_id_length": `{"tool_id_length":33}`,
		"max_inputs":     `{"max_inputs":-1}`,
		"http":           `{"http":{"chat_path":"chat?x"}}`,
	} {
		w := &catalog.Wire{}
		require.NoError(t, json.Unmarshal([]byte(give), w))
		faults := w.FindFaults()
		require.Len(t, faults, 1, give)
		require.Equal(t, field, faults[0].Field)
		require.ErrorContains(t, w.Check(), field)
	}
	for _, give := range []string{
		`{"limits":{"temperature":{}}}`, `{"limits":{"temperature":{"max":"1,5"}}}`, `{"http":{"auth_prefix":"x"}}`,
		`{"http":{"auth_header":"a b"}}`, `{"http":{"query":{"":"1"}}}`, `{"drop":["a b"]}`, `{"rename":{"a":"c","b":"c"}}`, `{"rename":{"a":"c"},"add":{"c":1}}`, `{"drop":["messages[].role"]}`,
	} {
		w := &catalog.Wire{}
		require.NoError(t, json.Unmarshal([]byte(give), w))
		require.Error(t, w.Check(), give)
	}
}

// The shipped providers use known deviations only, and all except the sandbox have some.
func TestShippedProvidersDeviate(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	for _, id := range []string{
		"openai", "azure", "mistral", "groq", "together", "fireworks", "deepseek", "xai", "perplexity",
		"openrouter", "cerebras", "ollama", "vllm", "llamacpp", "lmstudio", "huggingface",
	} {
		p, ok := cat.Provider(id)
		require.True(t, ok, id)
		require.Equal(t, "openai", p.Kind, id)
		require.NotNil(t, p.Wire, id)
		require.NoError(t, p.Wire.Check(), id)
	}
	mistral, _ := cat.Provider("mistral")
	require.Equal(t, "max_tokens", mistral.Wire.Rename["max_completion_tokens"])
	azure, _ := cat.Provider("azure")
	require.Equal(t, "api-key", azure.Wire.HTTP.AuthHeader)
}
