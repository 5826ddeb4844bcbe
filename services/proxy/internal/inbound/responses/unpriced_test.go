package responses_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
)

// What the vendor charges besides tokens is named, in a stream and in a complete response.
func TestChargesBesideTokensAreNamed(t *testing.T) {
	for _, tt := range []struct {
		output, tier string
		want         []string
	}{
		{`{"type":"message","content":[]},{"type":"function_call"},{"type":"custom_tool_call"},{"type":"reasoning"}`, `"default"`, nil},
		{`{"type":"message","content":[]}`, `null`, nil},
		{`{"type":"web_search_call"},{"type":"web_search_call"},{"type":"code_interpreter_call"}`, `"auto"`, []string{"web_search_call", "code_interpreter_call"}},
		{`{"type":"message","content":[]}`, `"priority"`, []string{"service_tier"}},
	} {
		body := `{"id":"resp_up","model":"m","status":"completed","output":[` + tt.output + `],"service_tier":` + tt.tier + `,"usage":{"input_tokens":1,"output_tokens":1}}`
		whole, err := responses.Protocol{}.RelayBody([]byte(body), options)
		require.NoError(t, err)
		require.Equal(t, tt.want, whole.Unpriced)

		for _, end := range []string{"completed", "incomplete"} {
			r := responses.Protocol{}.NewRelay(options)
			_, err = r.AppendEvent(nil, []byte(`{"type":"response.`+end+`","response":`+strings.Replace(body, "completed", end, 1)+`}`))
			require.NoError(t, err)
			require.Equal(t, tt.want, r.ReportedValues().Unpriced)
		}
	}
}
