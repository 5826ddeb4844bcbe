package usagereport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// What has no price is named. Counts that are part of others, and values that charge nothing,
// are not.
func TestUnpricedItemsOfAChat(t *testing.T) {
	for usage, want := range map[string][]string{
		``: nil,
		`,"queue_time":0.1,"prompt_cache_miss_tokens":4,"cost":0.1,"is_byok":true,"service_tier":"default"`:                 nil,
		`,"prompt_tokens_details":{"cached_tokens":1,"text_tokens":2,"image_tokens":9,"audio_tokens":0}`:                    nil,
		`,"completion_tokens_details":{"reasoning_tokens":1,"accepted_prediction_tokens":2,"rejected_prediction_tokens":1}`: nil,
		`,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":2,"tool_search_requests":1}`:                      nil,
		`,"server_tool_use":{"web_search_requests":2,"code_execution_requests":1}`:                                          {"web_search", "code_execution"},
		`,"server_side_tool_usage_details":{"x_search_calls":1,"web_search_calls":0,"mcp_calls":3}`:                         {"x_search"},
		`,"num_search_queries":3`: {"web_search"}, `,"num_sources_used":1`: {"web_search"},
		`,"prompt_tokens_details":{"audio_tokens":7},"completion_tokens_details":{"audio_tokens":3,"image_tokens":1290}`: {"audio_input_tokens", "audio_output_tokens", "image_output_tokens"},
		`,"hologram_tokens":4`:                               {"hologram_tokens"},
		`,"service_tier":"priority","speed":"fast"`:          {"service_tier", "speed"},
		`,"a\"b\u0000_tokens":4,"` + "\u00e9" + `_tokens":1`: {"other"},
	} {
		body := `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5` + usage + `}}`
		response, err := normalize.Chat([]byte(body), normalize.Options{})
		require.NoError(t, err)
		require.Equal(t, want, response.Unpriced, usage)
	}
}

// OpenAI reports the tier beside the usage.
func TestTheServiceTierOfAChat(t *testing.T) {
	for tier, want := range map[string][]string{`"default"`: nil, `null`: nil, `"priority"`: {"service_tier"}, `"flex"`: {"service_tier"}} {
		for _, body := range []string{
			`{"service_tier":` + tier + `,"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`,
			`{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":9,"completion_tokens":5},"service_tier":` + tier + `}`,
		} {
			response, err := normalize.Chat([]byte(body), normalize.Options{})
			require.NoError(t, err)
			require.Equal(t, want, response.Unpriced, body)
		}
	}
}

func TestUnpricedItemsOfAnthropic(t *testing.T) {
	for usage, want := range map[string][]string{
		`{"input_tokens":9,"service_tier":"standard","speed":"standard","inference_geo":"global","server_tool_use":{"web_search_requests":0}}`: nil,
		`{"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":2,"ephemeral_1d_input_tokens":3}}`:                       {"ephemeral_1d_input_tokens"},
		`{"iterations":[{"type":"message","input_tokens":1},{"type":"compaction","input_tokens":9}]}`:                                          {"compaction"},
		`{"inference_geo":"us","speed":"fast"}`: {"inference_geo", "speed"},
		`{"video_tokens":1}`:                    {"video_tokens"},
	} {
		var a usagereport.Anthropic
		for name, v := range jsonscan.Members([]byte(usage)) {
			a.ReadMember(string(name), v)
		}
		require.Equal(t, want, []string(a.Unpriced), usage)
	}
}

func TestUnpricedItemsOfGoogle(t *testing.T) {
	for usage, want := range map[string][]string{
		`"promptTokensDetails":[{"modality":"TEXT","tokenCount":4},{"modality":"IMAGE","tokenCount":5}],"serviceTier":"STANDARD"`: nil,
		`"promptTokensDetails":[{"modality":"AUDIO","tokenCount":4}],"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":1290}]`: {
			"audio_input_tokens", "image_output_tokens",
		},
		`"serviceTier":"priority"`: {"service_tier"},
	} {
		g, ok := usagereport.ParseGoogle([]byte(`{"promptTokenCount":9,"candidatesTokenCount":5,` + usage + `}`))
		require.True(t, ok)
		require.Equal(t, want, []string(g.Unpriced), usage)
	}
}
