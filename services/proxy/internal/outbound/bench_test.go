package outbound_test

import (
	"strings"
	"testing"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

// benchmarkParseAndBuild does what the proxy does with every body.
func benchmarkParseAndBuild(b *testing.B, size int) {
	const line = `The signal at the junction shows clear.\n`
	body := []byte(`{"model":"auto","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"` +
		strings.Repeat(line, size/len(line)) + `"}],"temperature":0.2,"max_tokens":256,"stream":true}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := requestbody.ParseChat(body)
		if err != nil {
			b.Fatal(err)
		}
		outbound.BuildPlain(r, "upstream")
	}
}

func BenchmarkParseAndBuild2KB(b *testing.B)   { benchmarkParseAndBuild(b, 2<<10) }
func BenchmarkParseAndBuild200KB(b *testing.B) { benchmarkParseAndBuild(b, 200<<10) }

// BenchmarkOutbound builds bodies for upstreams with few and many deviations.
func BenchmarkOutbound(b *testing.B) {
	body := []byte(`{"model":"auto","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"` +
		strings.Repeat("word ", 400) + `"}],"temperature":0.2,"max_tokens":256,"user":"u","stream":true}`)
	r, err := requestbody.ParseChat(body)
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
				if _, _, err := outbound.Build(r, "upstream", known.Wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
