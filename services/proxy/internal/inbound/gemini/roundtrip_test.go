package gemini_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

const (
	claudeDetails = `"reasoning_details":[{"type":"reasoning.text","text":"I must look.","signature":"c2ln","format":"anthropic-claude-v1","index":0},{"type":"reasoning.encrypted","data":"eHl6","format":"anthropic-claude-v1","index":1}]`
	openCalls     = `"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}},{"id":"call_2","type":"function","function":{"name":"ls","arguments":"{}"}}]`
	googleCalls   = `"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"},"extra_content":{"google":{"thought_signature":"+/8="}}},{"id":"call_2","type":"function","function":{"name":"ls","arguments":"{}"}}]`
)

// conversations are assistant messages of several vendors.
var conversations = map[string]string{
	"text":            `{"role":"assistant","content":"Hello"}`,
	"thinking":        `{"role":"assistant","content":"42",` + claudeDetails + `}`,
	"thinking, calls": `{"role":"assistant","content":"I look.",` + claudeDetails + `,` + openCalls + `}`,
	"reasoning text":  `{"role":"assistant","content":null,"reasoning_content":"I must look.",` + openCalls + `}`,
	"items":           `{"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.summary","summary":"s","id":"rs_1","format":"openai-responses-v1","index":0},{"type":"reasoning.encrypted","data":"gAAA","id":"rs_1","format":"openai-responses-v1","index":0}],` + openCalls + `}`,
	"google":          `{"role":"assistant","content":"I look.",` + googleCalls + `}`,
}

// answer returns the request that a client sends after the response: the content of the
// response, and the results of the calls.
func answer(t *testing.T, content any, calls bool) string {
	t.Helper()
	history := []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": "q"}}}, content}
	if calls {
		result := func(id string) any {
			return map[string]any{"functionResponse": map[string]any{"id": id, "name": "ls", "response": map[string]any{"output": "x"}}}
		}
		history = append(history, map[string]any{"role": "user", "parts": []any{result("call_1"), result("call_2")}})
	}
	body, err := json.Marshal(map[string]any{"contents": history})
	require.NoError(t, err)
	return string(body)
}

// firstAssistant returns the assistant message of a chat body, without members that only
// repeat others.
func firstAssistant(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var chat struct{ Messages []map[string]any }
	require.NoError(t, json.Unmarshal(body, &chat))
	require.GreaterOrEqual(t, len(chat.Messages), 2)
	return chat.Messages[1]
}

// clientHabits are changes that real clients make to a response before they send it back.
var clientHabits = map[string]func(parts []any) []any{
	"unchanged": func(parts []any) []any { return parts },
	// Gemini CLI removes thoughts, and parts with an empty text.
	"without thoughts": func(parts []any) (kept []any) {
		for _, p := range parts {
			if m := p.(map[string]any); m["thought"] == nil {
				kept = append(kept, p)
			}
		}
		return kept
	},
	// The Python client decodes signatures and encodes them in the URL-safe alphabet.
	"URL-safe": func(parts []any) []any {
		for _, p := range parts {
			m := p.(map[string]any)
			if s, ok := m["thoughtSignature"].(string); ok {
				m["thoughtSignature"] = strings.NewReplacer("+", "-", "/", "_").Replace(s)
			}
		}
		return parts
	},
}

// The reasoning of every vendor survives the way to the client and back, whole or streamed.
func TestReasoningSurvivesTurns(t *testing.T) {
	for name, message := range conversations {
		for habit, change := range clientHabits {
			t.Run(name+", "+habit, func(t *testing.T) {
				var want map[string]any
				require.NoError(t, json.Unmarshal([]byte(message), &want))
				whole := change(wholeParts(t, message))
				streamed := change(streamedParts(t, message))
				for _, parts := range [][]any{whole, streamed} {
					content := map[string]any{"role": "model", "parts": parts}
					body := answer(t, content, want["tool_calls"] != nil)
					got := firstAssistant(t, translate(t, body).Body)
					require.Equal(t, want, got, body)
					r, err := requestbody.ParseGenerateContent([]byte(body), "m", false)
					require.NoError(t, err)
					require.Equal(t, name == "google", len(r.NativeOnly) > 0, "only Google's signatures bind the conversation")
				}
			})
		}
	}
}

func wholeParts(t *testing.T, message string) []any {
	t.Helper()
	body := `{"choices":[{"index":0,"message":` + message + `,"finish_reason":"stop"}]}`
	out, err := translate(t, askThoughts).FromChat([]byte(body), shown)
	require.NoError(t, err)
	return partsOf(t, string(out))
}

// streamedParts sends the message in one chunk and collects the parts of all frames. Texts are
// joined, like clients do it.
func streamedParts(t *testing.T, message string) (parts []any) {
	t.Helper()
	numbered := strings.Replace(strings.Replace(message, `{"id":"call_1"`, `{"index":0,"id":"call_1"`, 1), `{"id":"call_2"`, `{"index":1,"id":"call_2"`, 1)
	out, err := playStream(t, false, `{"choices":[{"index":0,"delta":`+numbered+`}]}`+"\n"+`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	require.NoError(t, err)
	checkStream(t, out, false)
	for _, frame := range splitFrames(t, out, false) {
		for _, p := range partsOf(t, frame) {
			if m := p.(map[string]any); m["text"] != "" || m["thoughtSignature"] != nil {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

func partsOf(t *testing.T, response string) []any {
	t.Helper()
	var r struct {
		Candidates []struct{ Content struct{ Parts []any } }
	}
	require.NoError(t, json.Unmarshal([]byte(response), &r), response)
	return r.Candidates[0].Content.Parts
}

// Some agents use function names that other vendors reject.
func TestFunctionNamesAreRestored(t *testing.T) {
	long := strings.Repeat("a", 70)
	tr := translate(t, `{"contents":[{"parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[{"name":"mcp.files:read"},{"name":"`+long+`"},{"name":"plain"}]}]}`)
	var chat struct {
		Tools []struct{ Function struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal(tr.Body, &chat))
	for i, want := range []string{"mcp.files:read", long, "plain"} {
		name := chat.Tools[i].Function.Name
		require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, name)
		out, err := tr.FromChat([]byte(`{"choices":[{"index":0,"message":{"tool_calls":[{"id":"c","function":{"name":"`+name+`","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`), shown)
		require.NoError(t, err)
		require.Contains(t, string(out), `"name":"`+want+`"`)
	}
}

// Clients that did not ask for thoughts do not get them, but the reasoning still survives.
func TestThoughtsOnlyOnRequest(t *testing.T) {
	tr := translate(t, `{"contents":[{"parts":[{"text":"q"}]}]}`)
	out, err := tr.FromChat([]byte(`{"choices":[{"index":0,"message":{"reasoning_content":"secret",`+openCalls+`},"finish_reason":"tool_calls"}]}`), shown)
	require.NoError(t, err)
	require.NotContains(t, string(out), "thought\"")
	require.Contains(t, string(out), `"thoughtSignature":"`+requestbody.GeminiStatePrefix)
}

// A client can forge the state. Then it is ignored, and the request stays valid.
func TestForgedState(t *testing.T) {
	for _, state := range []string{
		`{`, `{"reasoning_details":[{"a":1,"a":2}]}`, `{"reasoning_details":[{"a":"\ud800"}]}`, `{"reasoning_details":[1e999]}`, "{\"a\":\"\xff\"}", `{}x`,
		`{"reasoning_details":7,"reasoning_content":{}}`, `{"reasoning_details":[1,"a",null]}`, `{}`,
	} {
		signature := base64.StdEncoding.EncodeToString([]byte("sbx1." + state))
		body := `{"contents":[{"parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"a","thoughtSignature":"` + signature + `"}]},{"parts":[{"text":"r"}]}]}`
		require.Equal(t, map[string]any{"role": "assistant", "content": "a"}, firstAssistant(t, translate(t, body).Body), state)
	}
}
