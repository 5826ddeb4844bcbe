package requestbody_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

func benchmarkParse(b *testing.B, size int) {
	const line = `The signal at the junction shows clear.\n`
	body := []byte(`{"model":"auto","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"` +
		strings.Repeat(line, size/len(line)) + `"}],"temperature":0.2,"max_tokens":256,"stream":true}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := requestbody.ParseChat(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseChat2KB(b *testing.B)   { benchmarkParse(b, 2<<10) }
func BenchmarkParseChat200KB(b *testing.B) { benchmarkParse(b, 200<<10) }

// agentBodies returns the same agent conversation of about size bytes in the chat format and
// in Google's.
func agentBodies(size int) (chatBody, geminiBody []byte) {
	const output = `package main\n\nfunc main() {\n\tprintln(\"The signal at the junction shows clear.\")\n}\n`
	var chat, gemini strings.Builder
	chat.WriteString(`{"model":"auto","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"go on"}`)
	gemini.WriteString(`{"systemInstruction":{"parts":[{"text":"be brief"}]},"contents":[{"parts":[{"text":"go on"}],"role":"user"}`)
	for i := 0; gemini.Len() < size; i++ {
		id, text := strconv.Itoa(i), strings.Repeat(output, 10)
		chat.WriteString(`,{"role":"assistant","content":null,"tool_calls":[{"id":"call_` + id + `","type":"function","function":{"name":"read","arguments":"{\"path\":\"main.go\"}"}}]}` +
			`,{"role":"tool","tool_call_id":"call_` + id + `","content":"` + text + `"}`)
		gemini.WriteString(`,{"parts":[{"functionCall":{"id":"call_` + id + `","name":"read","args":{"path":"main.go"}}}],"role":"model"}` +
			`,{"parts":[{"functionResponse":{"id":"call_` + id + `","name":"read","response":{"output":"` + text + `"}}}],"role":"user"}`)
	}
	chat.WriteString(`],"stream":true}`)
	gemini.WriteString(`],"generationConfig":{"temperature":1,"topP":0.95,"topK":64}}`)
	return []byte(chat.String()), []byte(gemini.String())
}

func BenchmarkParseChatAgent500KB(b *testing.B) {
	body, _ := agentBodies(500 << 10)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := requestbody.ParseChat(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseGeminiAgent500KB(b *testing.B) {
	_, body := agentBodies(500 << 10)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := requestbody.ParseGenerateContent(body, "auto", true); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkConversationID identifies the conversation of requests whose opening has 2 and 200 KB.
func BenchmarkConversationID(b *testing.B) {
	for _, bytes := range []int{2 << 10, 200 << 10} {
		r, err := requestbody.ParseChat([]byte(`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("word ", bytes/5) + `"}]}`))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strconv.Itoa(bytes>>10)+" KB", func(b *testing.B) {
			for b.Loop() {
				r.ConversationID()
			}
		})
	}
}
