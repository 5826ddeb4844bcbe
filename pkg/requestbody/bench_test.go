package requestbody_test

import (
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
