package normalize_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

func BenchmarkStream50(b *testing.B) {
	var stream strings.Builder
	event := func(choice string) {
		stream.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"up",` +
			`"system_fingerprint":"fp","choices":[{"index":0,` + choice + `}]}` + "\n\n")
	}
	event(`"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null`)
	for i := range 48 {
		event(`"delta":{"content":" word` + strconv.Itoa(i) + `"},"logprobs":null,"finish_reason":null`)
	}
	event(`"delta":{},"logprobs":null,"finish_reason":"stop"`)
	stream.WriteString("data: [DONE]\n\n")
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		events := sse.NewReader(readCloser{strings.NewReader(stream.String())})
		s := newStream(true)
		for {
			payload, err := events.Next()
			if err != nil {
				break
			}
			if out, err = s.AppendEvent(out[:0], payload); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Finish(out[:0]); err != nil {
			b.Fatal(err)
		}
		s.Release()
	}
}
