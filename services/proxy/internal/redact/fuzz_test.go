package redact_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// Whatever surrounds a canary and however it is written, nothing of it remains, and
// JSON stays JSON.
func FuzzRedact(f *testing.F) {
	r := canaryRedactor(f)
	for kind, texts := range found {
		f.Add(texts[0], kind, uint64(len(texts)), 100)
	}
	f.Add(`{"a":"\u0040`, `\\\\\n%40"`, uint64(3), 10)
	f.Fuzz(func(t *testing.T, before, after string, seed uint64, limit int) {
		rng := rand.New(rand.NewPCG(seed, 0))
		canary := canaries[rng.IntN(len(canaries))]
		if strings.Contains(seen(t, before)+"\n"+seen(t, after), canary.secret) {
			return // with a digit in front of it, it is another number
		}
		limit = min(max(limit, 0), 1<<20)
		text := escape(before+" \n"+canary.String()+"\n "+after, rng)
		for range rng.IntN(3) {
			text = escape(text, rng)
		}
		body := `{"a":["` + text + `",{"` + text + `":1}]}`
		check(t, redacted(r, body, limit), canary.secret, limit)
		out := redacted(r, body, unlimited)
		check(t, out, canary.secret, unlimited)
		require.Equal(t, jsontext.Value(body).IsValid(lenient), jsontext.Value(out).IsValid(lenient))

		given := json.Valid([]byte(before))
		out = redacted(r, before, unlimited)
		require.True(t, !given || json.Valid([]byte(out)), out)
		r.RedactText(after)
	})
}

var lenient = jsontext.AllowDuplicateNames(true)

func check(t *testing.T, out, canary string, limit int) {
	t.Helper()
	require.LessOrEqual(t, len(out), limit)
	require.NotContains(t, seen(t, out), canary)
}
