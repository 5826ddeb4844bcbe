package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// Upstreams send these texts between chunks. Some are no JSON, some are no chunks, and some
// are chunks that the client did not ask for. The client gets none of them.
var intruders = map[string]string{
	"comment":             ": keepalive\n\n",
	"comment as data":     "data: : keepalive\n\n",
	"word":                "data: ping\n\n",
	"named word":          "event: ping\ndata: ping\n\n",
	"name alone":          "event: ping\n\n",
	"null":                "data: null\n\n",
	"empty list":          "data: []\n\n",
	"string":              "data: \"ping\"\n\n",
	"number":              "data: 1\n\n",
	"word, no blank line": "data: ping\n",
	"empty object":        "data: {}\n\n",
	"typed object":        "data: {\"type\":\"ping\"}\n\n",
	"named object":        "event: ping\ndata: {\"type\":\"ping\"}\n\n",
	"time":                "data: {\"time\":1}\n\n",
	"id of the vendor":    "data: {\"x_groq\":{\"id\":\"req_1\"}}\n\n",
	"status":              "data: {\"status\":\"processing\",\"queue\":3}\n\n",
	"choices null":        "data: {\"choices\":null}\n\n",
	"choices empty":       "data: {\"id\":\"x\",\"object\":\"\",\"created\":0,\"model\":\"\",\"choices\":[]}\n\n",
	"index beyond n":      "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n",
	"index far beyond n":  "data: {\"choices\":[{\"index\":4096,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"error\"}]}\n\n",
	"index below zero":    "data: {\"choices\":[{\"index\":-1,\"delta\":{\"content\":\"x\"}}]}\n\n",
}

func TestWireIntrudersInStreams(t *testing.T) {
	w := newWire(t)
	event := func(s string) string { return "data: " + s + "\n\n" }
	role, a, b := event(chunk(`{"role":"assistant","content":""}`, "null")), event(chunk(`{"content":"a"}`, "null")), event(chunk(`{"content":"b"}`, "null"))
	usage := event(`{"choices":[],` + usageIn + `}`)
	want := delta(`{"role":"assistant","content":""}`, "null") + delta(`{"content":"a"}`, "null") + delta(`{"content":"b"}`, "null") + delta(`{}`, `"stop"`) + done
	for name, x := range intruders {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			give := scripted.Stream(x, role, x, a, x, x, b, x, event(stop), x, usage, x, "data: [DONE]\n\n")
			for _, give := range []scripted.Response{give, give.Bytewise()} {
				got := w.told(give, stream(""))
				require.Equal(t, http.StatusOK, got.status, got.body)
				require.Equal(t, want, got.body)
				require.Equal(t, recordv1.Outcome_OUTCOME_OK, got.record.GetOutcome())
				require.EqualValues(t, 3, got.record.GetTokens().GetOutput(), "the usage of the upstream counts")

				got = w.told(give, plain(""))
				require.Equal(t, http.StatusOK, got.status, got.body)
				require.Contains(t, got.body, `"content":"ab"`, "the same stream for a plain request")
			}
		})
	}
}

// What a provider reports in a chunk without choices reaches the client in the next chunk, and in
// the usage chunk if none follows. Usage found there counts.
func TestWireMembersWithoutChoices(t *testing.T) {
	w := newWire(t)
	filter := `{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}`
	late := `{"choices":[],"late":true}`
	text := chunk(`{"role":"assistant","content":"a"}`, "null")
	first := strings.Replace(frame(choice(`{"role":"assistant","content":"a"}`, "null"), ""), `,"choices"`, `,"prompt_filter_results":[{"prompt_index":0}],"choices"`, 1)
	give := scripted.Events(filter, text, stop, late, `{"x_groq":{"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}}`, "[DONE]")

	got := w.told(give, stream(""))
	require.Equal(t, first+delta(`{}`, `"stop"`)+done, got.body)
	require.EqualValues(t, 3, got.record.GetTokens().GetInput())

	got = w.told(give, stream(`,"stream_options":{"include_usage":true}`))
	require.Equal(t, 1, strings.Count(got.body, `"choices":[]`), got.body)
	require.Contains(t, got.body, `"late":true,"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}`)

	got = w.told(give, plain(""))
	require.Contains(t, got.body, `"prompt_filter_results":[{"prompt_index":0}]`)
	require.Contains(t, got.body, `"late":true`)
}

// The adapters of other formats ignore the same heartbeats. Their own pings never delay the text
// before them.
func TestWireHeartbeatsOfOtherFormats(t *testing.T) {
	event := func(s string) string { return "data: " + s + "\n\n" }
	for kind, chunks := range map[string][]string{
		"anthropic": {
			event(`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":9}}}`),
			event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) + event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`) + event(`{"type":"ping"}`),
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}`) + event(`{"type":"content_block_stop","index":0}`),
			event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`) + event(`{"type":"message_stop"}`),
		},
		"gemini": {
			event(`{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"a"}]}}]}`), event(`{"candidates":[{"index":7,"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}]}`),
			event(`{"candidates":[{"index":0,"content":{"parts":[{"text":"b"}]}}]}`),
			event(`{"candidates":[{"index":0,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12}}`),
		},
	} {
		t.Run(kind, func(t *testing.T) {
			up := scriptedtest.New(t, scriptedtest.OpenAI)
			w := &wire{up: up, rig: newRigOf(t, fmt.Sprintf(`version: 1
providers: {up: {kind: %s, base_url: %s, allow_private: true}}
models: {small: {endpoints: [{provider: up, model: up-small}], context: 8192}}
routes: {auto: {select: [{candidates: [small]}]}}
`, kind, up.URL))}
			for _, x := range []string{": keepalive\n\n", "data: : keepalive\n\n", "data: ping\n\n", "event: ping\ndata: ping\n\n", "data: null\n\n", "data: []\n\n", "data: {\"type\":\"ping\"}\n\n"} {
				pieces := []string{x}
				for _, c := range chunks {
					pieces = append(pieces, c, x)
				}
				a := w.told(scripted.Stream(pieces...), stream(""))
				require.Equal(t, http.StatusOK, a.status, "%q: %s", x, a.body)
				require.Equal(t, 1, strings.Count(a.body, `"content":"a"`), a.body)
				require.Equal(t, 1, strings.Count(a.body, `"content":"b"`), a.body)
				require.True(t, strings.HasSuffix(a.body, done), "%q: %s", x, a.body)
				require.NotContains(t, a.body, `"choices":[]`)
				require.NotContains(t, a.body, `"content":"x"`)
				require.EqualValues(t, 3, a.record.GetTokens().GetOutput())
			}
			w.waitsForNothing(scripted.Stream(append(chunks[:3:3], "data: ping\n\n")...).First(4, scripted.Hang))
		})
	}
}
