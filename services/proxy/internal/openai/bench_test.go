package openai_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

func benchmarkParse(b *testing.B, size int) {
	const line = `The signal at the junction shows clear.\n`
	body := []byte(`{"model":"auto","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"` +
		strings.Repeat(line, size/len(line)) + `"}],"temperature":0.2,"max_tokens":256,"stream":true}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := openai.ParseChat(body)
		if err != nil {
			b.Fatal(err)
		}
		openai.BuildPlain(r, "upstream")
	}
}

// BenchmarkOutbound builds bodies for upstreams with few and many deviations.
func BenchmarkOutbound(b *testing.B) {
	body := []byte(`{"model":"auto","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"` +
		strings.Repeat("word ", 400) + `"}],"temperature":0.2,"max_tokens":256,"user":"u","stream":true}`)
	r, err := openai.ParseChat(body)
	if err != nil {
		b.Fatal(err)
	}
	cat, err := catalog.Load()
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"none", "openai", "mistral"} {
		known, _ := cat.Provider(name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := openai.Build(r, "upstream", known.Wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseChat2KB(b *testing.B)   { benchmarkParse(b, 2<<10) }
func BenchmarkParseChat200KB(b *testing.B) { benchmarkParse(b, 200<<10) }

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
		events := openai.NewEventReader(readCloser{strings.NewReader(stream.String())})
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
	}
}
