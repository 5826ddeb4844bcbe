package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Chat completions accept tool messages only directly after their calls, and only with text. The
// Responses API has neither restriction.
func TestToolOutputsOverChatCompletions(t *testing.T) {
	g := newPairRig(t, pairUpstreams[0])
	g.restart()
	const call = `{"role":"user","content":"a"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},`
	for _, rest := range []string{
		`{"role":"user","content":"b"},{"type":"function_call_output","call_id":"c1","output":"x"}`,
		`{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}`,
	} {
		body := `{"model":"gpt-5.4-mini","store":false,"input":[` + call + rest + `],"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]}`
		res, text := g.send(t, http.MethodPost, "/proxy/v1/responses", body, testKey)
		require.Equal(t, http.StatusOK, res.StatusCode, text)
	}
}
