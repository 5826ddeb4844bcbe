package redact_test

import (
	"strings"
	"testing"

	"github.com/signalbox/signalbox/services/proxy/internal/redact"
)

func BenchmarkRedact(b *testing.B) {
	prose := `All work and no play, said he: "the 24 tasks of 2026-11-15 took 1,024 tokens (3.5 s)", and so on. `
	code := `if err != nil { return fmt.Errorf(\"open %s: %w\", path, err) }\n\tx := a[i+1] * 0x7f; y = map[string]int{\"k\": 12345}\n`
	patterns := []redact.Pattern{{Name: "a", Pattern: `KD-\d{6}`}, {Name: "b", Pattern: `(?i)project-[a-z]{4}`}}
	for name, text := range map[string]string{"prose": strings.ReplaceAll(prose, `"`, `\"`), "code": code, "data": strings.Repeat("QUJD", 1000)} {
		body := []byte(`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat(text, 60_000/len(text)) + `"}],"temperature":0.2}`)
		bench(b, name, body, nil)
		bench(b, name+"/patterns", body, patterns)
	}
	bench(b, "short", []byte(`{"model":"m","messages":[{"role":"user","content":"`+strings.ReplaceAll(strings.Repeat(prose, 20), `"`, `\"`)+`"}]}`), nil)
	bench(b, "hostile", []byte(`{"a":"%252525252525252520 `+strings.Repeat("token=", 10_000)+`"}`), nil)
	bench(b, "floats", []byte(`{"data":[`+strings.Repeat("-0.0123456789,", 4000)+`1]}`), nil)
}

func bench(b *testing.B, name string, body []byte, patterns []redact.Pattern) {
	r := newRedactor(b, patterns...)
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			dst, _ = r.Redact(dst[:0], body, 64<<10)
		}
	})
}
