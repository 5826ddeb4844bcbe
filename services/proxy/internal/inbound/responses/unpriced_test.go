package responses_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
)

const searchItems = `[{"type":"web_search_call","id":"ws_1"},{"type":"function_call","arguments":"{}"},{"type":"mcp_call"},{"type":"image_generation_call"}]`

// The vendor charges its own tools and faster tiers in addition to tokens.
func TestRelayedToolsOfTheVendorAreNamed(t *testing.T) {
	const usage = `"usage":{"input_tokens":10,"output_tokens":4,"total_tokens":14,"output_tokens_details":{"reasoning_tokens":1,"audio_tokens":2}}`
	want := []string{"web_search", "image_generation", "service_tier", "audio_output_tokens"}
	got, err := responses.Protocol{}.RelayBody([]byte(`{"output":`+searchItems+`,"service_tier":"priority",`+usage+`}`), options)
	require.NoError(t, err)
	require.Equal(t, want, got.Unpriced)

	r := responses.Protocol{}.NewRelay(options)
	for _, event := range []string{
		created, `{"type":"response.output_item.done","item":{"type":"web_search_call"}}`,
		`{"type":"response.completed","response":{"output":` + searchItems + `,"service_tier":"priority",` + usage + `}}`,
	} {
		_, err := r.AppendEvent(nil, []byte(event))
		require.NoError(t, err)
	}
	require.Equal(t, want, r.ReportedValues().Unpriced)

	got, err = responses.Protocol{}.RelayBody([]byte(`{"output":[{"type":"message"}],"service_tier":"default","usage":{"input_tokens":10,"output_tokens":4}}`), options)
	require.NoError(t, err)
	require.Empty(t, got.Unpriced)
}
