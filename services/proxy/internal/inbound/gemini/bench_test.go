package gemini_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// BenchmarkToChat500KB translates an agent's context.
func BenchmarkToChat500KB(b *testing.B) {
	var body strings.Builder
	body.WriteString(`{"contents":[{"parts":[{"text":"go on"}],"role":"user"}`)
	output := strings.Repeat(`The signal at the junction shows clear.\n`, 25)
	for i := 0; body.Len() < 500<<10; i++ {
		id := strconv.Itoa(i)
		body.WriteString(`,{"parts":[{"functionCall":{"id":"` + id + `","name":"read","args":{"path":"main.go"}}}],"role":"model"}` +
			`,{"parts":[{"functionResponse":{"id":"` + id + `","name":"read","response":{"output":"` + output + `"}}}],"role":"user"}`)
	}
	body.WriteString(`]}`)
	r := parse(b, body.String(), true)
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		_, err := gemini.Protocol{}.ToChat(r)
		require.NoError(b, err)
	}
}

// BenchmarkEvent compares one event of text: normalized for chat clients, translated for
// Google's clients, and relayed.
func BenchmarkEvent(b *testing.B) {
	chunk := []byte(`{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"The signal"},"finish_reason":null}],"usage":null}`)
	event := []byte(`{"candidates": [{"content": {"parts": [{"text": "The signal"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 10,"totalTokenCount": 10},"modelVersion": "gemini-2.5-flash","responseId": "r"}`)
	tr, err := gemini.Protocol{}.ToChat(parse(b, askThoughts, true))
	require.NoError(b, err)
	relay, stream := gemini.Protocol{}.NewRelay(shown), tr.NewStream(shown)
	chat := normalize.NewStream(normalize.StreamOptions{ID: "x", Model: "m", Choices: 1})
	for name, run := range map[string]func(dst []byte) ([]byte, error){
		"chat":      func(dst []byte) ([]byte, error) { return chat.AppendEvent(dst, chunk) },
		"translate": func(dst []byte) ([]byte, error) { return stream.AppendChunk(dst, chunk) },
		"relay":     func(dst []byte) ([]byte, error) { return relay.AppendEvent(dst, event) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			buf := make([]byte, 0, 1024)
			for b.Loop() {
				_, err := run(buf[:0])
				require.NoError(b, err)
			}
		})
	}
}
