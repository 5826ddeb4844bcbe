package emulate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

const (
	use    = `{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}`
	given  = `{"type":"tool_result","tool_use_id":"t1","content":"y"}`
	marked = `{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`
)

func TestAnthropicRefuses(t *testing.T) {
	newAnthropic(t, options).refuses(t, []refusalDetails{
		{"unknown field", `{"seed":3}`, "seed: Extra inputs are not permitted"},
		{"unknown field of a block", `{"messages":[{"role":"user","content":[{"type":"text","text":"x","foo":1}]}]}`, "foo: Extra inputs are not permitted"},
		{"no max_tokens", `{"max_tokens":null}`, "max_tokens: Field required"},
		{"no model", `{"model":null}`, "model: Field required"},
		{"no messages", `{"messages":[]}`, "at least one message is required"},
		{"first of the assistant", `{"messages":[{"role":"assistant","content":"x"}]}`, `first message must use the \"user\" role`},
		{"not alternating", `{"messages":[{"role":"user","content":"x"},{"role":"user","content":"y"}]}`, "roles must alternate"},
		{"system inside", `{"messages":[{"role":"user","content":"x"},{"role":"system","content":"y"}]}`, "Input should be 'user' or 'assistant'"},
		{"empty content", `{"messages":[{"role":"user","content":[]}]}`, "must have non-empty content"},
		{"empty text", `{"messages":[{"role":"user","content":""}]}`, "text content blocks must be non-empty"},
		{"blank text", `{"messages":[{"role":"user","content":" "}]}`, "must contain non-whitespace text"},
		{"block", `{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, "does not match any of the expected tags"},
		{"image type", `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/bmp","data":"AA=="}}]}]}`, "media_type"},
		{"image data", `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"data:x"}}]}]}`, "Invalid base64 data"},
		{"result of nothing", `{"messages":[{"role":"user","content":[` + given + `]}]}`, "unexpected `tool_use_id` found in `tool_result` blocks: t1"},
		{"result after text", `{"messages":[` + use + `,{"role":"user","content":[{"type":"text","text":"x"},` + given + `]}]}`, "unexpected `tool_use_id`"},
		{"no result", `{"messages":[` + use + `,{"role":"user","content":"x"}]}`, "ids were found without `tool_result` blocks immediately after: t1"},
		{"no result at all", `{"messages":[` + use + `]}`, "without `tool_result`"},
		{"id of a call", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a.b","name":"f","input":{}}]}]}`, "tool_use.id: String should match pattern"},
		{"input of a call", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":"{}"}]}]}`, "Input should be a valid dictionary"},
		{"prefill with blanks", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y "}]}`, "cannot end with trailing whitespace"},
		{"prefill", `{"model":"claude-opus-5","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, "does not support assistant message prefill"},
		{"tool name", `{"tools":[{"name":"a b","input_schema":{"type":"object"}}]}`, "tools.0.custom.name"},
		{"tool schema", `{"tools":[{"name":"f","input_schema":{"type":"array"}}]}`, "input_schema.type"},
		{"same tool twice", `{"tools":[{"name":"f","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"}}]}`, "must be unique"},
		{"choice without tools", `{"tool_choice":{"type":"auto"}}`, "only be specified while providing tools"},
		{"unknown choice", `{"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"g"}}`, "not found in provided tools"},
		{"temperature", `{"temperature":1.5}`, "temperature: range: 0..1"},
		{"temperature and top_p", `{"temperature":1,"top_p":0.5}`, "cannot both be specified"},
		{"temperature of a new one", `{"model":"claude-opus-5","temperature":1}`, "`temperature` is deprecated for this model."},
		{"blank stop", `{"stop_sequences":["\n"]}`, "must contain non-whitespace"},
		{"small budget", `{"thinking":{"type":"enabled","budget_tokens":100}}`, "greater than or equal to 1024"},
		{"large budget", `{"thinking":{"type":"enabled","budget_tokens":4096}}`, "`max_tokens` must be greater"},
		{"budget of a new one", `{"model":"claude-opus-5","thinking":{"type":"enabled","budget_tokens":1024}}`, "thinking.type.adaptive"},
		{"adaptive of an old one", `{"thinking":{"type":"adaptive"}}`, "adaptive thinking is not supported"},
		{"never silent", `{"model":"claude-fable-5","thinking":{"type":"disabled"}}`, "disabled is not supported"},
		{"forced while thinking", `{"thinking":{"type":"enabled","budget_tokens":1024},"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}}`, "forces tool use"},
		{"effort of an old one", `{"model":"claude-sonnet-4","output_config":{"effort":"low"}}`, "does not support the effort parameter"},
		{"open schema", `{"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}}`, "must be explicitly set to false"},
		{"schema with bounds", `{"output_config":{"format":{"type":"json_schema","schema":{"type":"integer","minimum":1}}}}`, "'minimum' is not supported"},
		{"five marks", `{"system":[` + marked + `,` + marked + `,` + marked + `],"messages":[{"role":"user","content":[` + marked + `,` + marked + `]}]}`, "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{"forged thinking", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"}]},{"role":"user","content":"y"}]}`, "Invalid `signature` in `thinking` block"},
	})
}

func TestAnthropicTakes(t *testing.T) {
	v := newAnthropic(t, options)
	for name, fields := range map[string]string{
		"results and text":   `{"messages":[` + use + `,{"role":"user","content":[` + given + `,{"type":"text","text":"x"}]}]}`,
		"prefill of old":     `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`,
		"system inside":      `{"model":"claude-opus-4-8","messages":[{"role":"user","content":"x"},{"role":"system","content":"y"}]}`,
		"four marks":         `{"system":[` + marked + `,` + marked + `],"messages":[{"role":"user","content":[` + marked + `,` + marked + `]}]}`,
		"an image elsewhere": `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]}]}`,
	} {
		res, body, err := v.call(t, v.with(t, fields))
		require.NoError(t, err)
		require.Equal(t, 200, res.StatusCode, name+body)
	}
	delete(v.header, "Anthropic-Version")
	_, body, err := v.call(t, v.body)
	require.NoError(t, err)
	require.Contains(t, body, "anthropic-version: header is required")
}

// A marked prefix is written once, for its lifetime, and then read. A prefix that is too short
// is not cached.
func TestMarkedPrefixes(t *testing.T) {
	v := newAnthropic(t, options)
	part := func(text, ttl string) string {
		return `{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral","ttl":"` + ttl + `"}}`
	}
	long := strings.Repeat("a", 8000)
	body := `{"system":[` + part(long, "1h") + `,` + part(long, "5m") + `]}`
	for _, fields := range []string{body, body, `{"system":[` + part(long, "1h") + `]}`, `{"system":[` + part("short", "5m") + `]}`} {
		res, said, err := v.call(t, v.with(t, fields))
		require.NoError(t, err)
		require.Equal(t, 200, res.StatusCode, said)
	}
	var got []emulate.Usage
	for _, e := range v.Calls() {
		e.Usage.Input, e.Usage.Output = 0, 0
		got = append(got, e.Usage)
	}
	require.Equal(t, []emulate.Usage{{CacheWrite: 4004, CacheWrite1h: 2002}, {CacheRead: 4004}, {CacheRead: 2002}, {}}, got)
}

func TestRedactedThinkingComesBack(t *testing.T) {
	v := newAnthropic(t, options)
	v.Fail("redacted")
	_, body, err := v.call(t, v.with(t, `{"thinking":{"type":"enabled","budget_tokens":1024}}`))
	require.NoError(t, err)
	require.Contains(t, body, `"type":"redacted_thinking"`)
	require.NotContains(t, body, "characters", "what was thought stays hidden")
}
