package emulate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

func newResponses(t *testing.T, o emulate.Options) *vendor {
	v := newOpenAI(t, o)
	v.path, v.body = "/v1/responses", `{"model":"gpt-5.4-mini","input":"hello","store":false}`
	return v
}

const (
	readFile = `{"type":"function","name":"read","strict":false,"parameters":{"type":"object"}}`
	files    = `{"type":"namespace","name":"files","description":"Files","tools":[` + readFile + `]}`
	search   = `{"type":"web_search","external_web_access":false}`
)

func TestResponsesRefusesTools(t *testing.T) {
	newResponses(t, options).refuses(t, []refusalDetails{
		{"type", `{"tools":[{"type":"robot"}]}`, "Invalid value: 'robot'."},
		{"namespace in a namespace", `{"tools":[{"type":"namespace","name":"n","tools":[` + files + `]}]}`, "tools[0].tools[0].type"},
		{"web search in a namespace", `{"tools":[{"type":"namespace","name":"n","tools":[` + search + `]}]}`, "tools[0].tools[0].type"},
		{"empty namespace", `{"tools":[{"type":"namespace","name":"n","tools":[]}]}`, "empty array"},
		{"name of a namespace", `{"tools":[{"type":"namespace","name":"a b","tools":[` + readFile + `]}]}`, "does not match pattern"},
		{"tools in a function", `{"tools":[{"type":"function","name":"f","strict":false,"parameters":{"type":"object"},"tools":[` + readFile + `]}]}`, "Unknown parameter: 'tools[0].tools'."},
		{"unknown field of a tool", `{"tools":[{"type":"web_search","whatever":1}]}`, "Unknown parameter"},
		{"schema in a namespace", `{"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f","parameters":{"type":"string"}}]}]}`, "invalid_function_parameters"},
	})
}

// A call of a function in a namespace names both, as OpenAI's API does.
func TestResponsesCallsTheToolsOfANamespace(t *testing.T) {
	v := newResponses(t, options)
	res, body, err := v.call(t, v.with(t, `{"tool_choice":"required","tools":[`+search+`,`+files+`]}`))
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode, body)
	require.Contains(t, body, `"name":"read","namespace":"files"`)
	res, body, err = v.call(t, v.with(t, `{"tools":[`+files+`],"input":[
		{"role":"user","content":"x"},
		{"type":"function_call","call_id":"c1","name":"read","namespace":"files","arguments":"{}"},
		{"type":"function_call_output","call_id":"c1","output":"y"}]}`))
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode, body)
}
