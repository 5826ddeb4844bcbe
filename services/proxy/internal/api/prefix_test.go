package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// turn returns the body of a turn, in the spelling of a real client: unusual white space,
// escapes, numbers and an order of members that no encoder would write. The messages are last,
// so each body begins with the one before it, except for its end.
func turn(model string, n int) (body, prefix string) {
	var b strings.Builder
	fmt.Fprintf(&b, "{ \"max_tokens\":1000 ,\"system\":[{\"text\":\"caf\\u00e9 \\/ é\",\"type\":\"text\",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}}],"+
		"\n\t\"model\" : %q,\"unknown_field\":{\"z\":1.0,\"a\":[ ]},\"messages\": [", model)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"role":"user","content":"question %d \u00fc"},{"content":[{"type":"text","text":"answer %d"}] ,"role":"assistant"}`, i, i)
	}
	prefix = b.String()
	return prefix + `,{"role":"user","content":"next"} ]}`, prefix
}

// A provider finds a conversation in its prompt cache only if each request begins with the
// same bytes as the one before.
func TestAConversationKeepsItsPrefix(t *testing.T) {
	v := newVendors(t, "opus")
	for n := range 10 {
		body, _ := turn("auto", n+1)
		res, text := v.send(t, http.MethodPost, messagesPath, body, testKey)
		require.Equal(t, http.StatusOK, res.StatusCode, text)
	}
	received := v.claude.Received()
	require.Len(t, received, 10)
	for i, r := range received {
		body, prefix := turn("up", i+1)
		require.Equal(t, body, string(r.Body))
		if i+1 < len(received) {
			require.True(t, strings.HasPrefix(string(received[i+1].Body), prefix), "turn %d", i+1)
		}
	}
}

// relayedTurns is a conversation in the spelling of a real client, for each protocol whose
// requests are forwarded: the start of the body, one turn, and the end. $model and $n stand for
// the model and the number of the turn.
var relayedTurns = map[string]struct{ path, start, turn, end string }{
	"messages": {
		"/proxy/v1/messages",
		"{ \"max_tokens\":1000 ,\"system\":[{\"text\":\"caf\\u00e9 \\/ é\",\"type\":\"text\",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}}],\n\t\"model\" : \"$model\",\"unknown_field\":{\"z\":1.0,\"a\":[ ]}," +
			"\"tools\":[{\"name\":\"Bash\",\"input_schema\":{\"type\":\"object\"},\"cache_control\":{\"type\":\"ephemeral\"}}],\"messages\": [",
		`{"role":"user","content":"question $n \u00fc"},{"content":[{"signature":"c2ln","type":"thinking","thinking":"hm"},{"type":"tool_use","id":"t$n","name":"Bash","input":{"b":1.50,"a":"\u0041"}}] ,"role":"assistant"},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t$n","content":"done"}]},{"role":"assistant","content":"ok"}, `,
		`{"role":"user","content":"next"} ]}`,
	},
	"responses": {
		"/proxy/v1/responses",
		"{ \"store\" : false,\"prompt_cache_key\":\"k\",\"model\" : \"$model\",\n\"instructions\":\"caf\\u00e9 \\/ é\",\"include\":[ \"reasoning.encrypted_content\"],\"unknown_field\":{\"z\":1.0},\"input\": [",
		`{"role":"user","content":"question $n \u00fc"},{"type":"reasoning","id":"rs_$n","encrypted_content":"ZW5j","summary":[ ]},{"call_id":"c$n" ,"type":"function_call","name":"Bash","arguments":"{\"b\": 1.50}"},` +
			`{"type":"function_call_output","call_id":"c$n","output":"done"}, `,
		`{"role":"user","content":"next"} ]}`,
	},
	"gemini": {
		"/proxy/v1beta/models/flash:generateContent",
		"{ \"systemInstruction\":{\"parts\":[{\"text\":\"caf\\u00e9 \\/ é\"}]},\"generationConfig\":{\"temperature\":1.0, \"topP\":0.50},\"unknownField\":{\"z\":1.0},\"contents\": [",
		`{"role":"user","parts":[{"text":"question $n \u00fc"}]},{"parts":[{"thoughtSignature":"c2ln","functionCall":{"name":"Bash","args":{"b":1.50,"a":"\u0041"}}}] ,"role":"model"},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"Bash","response":{"output":"done"}}}]}, `,
		`{"role":"user","parts":[{"text":"next"}]} ]}`,
	},
}

// Every relay forwards a conversation of ten turns so that the upstream's prompt cache finds it:
// each request begins with the bytes of the one before.
func TestEveryRelayKeepsThePrefix(t *testing.T) {
	models := map[string]string{"messages": "opus", "responses": "gpt"}
	for name, c := range relayedTurns {
		t.Run(name, func(t *testing.T) {
			v := newVendors(t, "opus")
			v.rig = newRigOf(t, strings.ReplaceAll(v.document, "context: 200000", "context: 200000, capabilities: [tools]"))
			upstream := map[string]*scriptedtest.Upstream{"messages": v.claude, "responses": v.open, "gemini": v.google}[name]
			prefix := c.start
			for n := range 10 {
				if name == "responses" {
					upstream.Script(scripted.JSON(200, `{"id":"r","object":"response","status":"completed","output":[]}`))
				}
				prefix += strings.ReplaceAll(c.turn, "$n", strconv.Itoa(n))
				res, text := v.send(t, http.MethodPost, c.path, strings.Replace(prefix, "$model", models[name], 1)+c.end, testKey)
				require.Equal(t, http.StatusOK, res.StatusCode, text)
				sent := string(upstream.Last().Body)
				require.Equal(t, strings.Replace(prefix, "$model", "up", 1)+c.end, sent)
			}
			all := upstream.Received()
			for i := range all[1:] {
				before := strings.TrimSuffix(string(all[i].Body), c.end)
				require.True(t, strings.HasPrefix(string(all[i+1].Body), before), "turn %d", i+2)
			}
		})
	}
}
