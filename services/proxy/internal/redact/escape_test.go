package redact_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/redact"
)

// canaries are recognized by their form, by the pattern, or by the name before them.
// Nothing of them may remain except the marker.
var canaries = []canary{
	{"", "sk-ant-canary0123456789abcdef", ""}, {"", "canary.person@example.com", ""}, {"", "6011 0009 9013 9424", ""}, {"", "+49 30 12345678", ""},
	{"", "KD-123456", ""}, {"", "\U0001F511vault7", ""}, {"password=", "Xy7!canary", ""}, {`"password": "`, "<Xy7 hun(ter2", `"`}, {"api-key: '", "Xy7{canary", "'"},
}

// canary is a secret and the text around it.
type canary struct{ before, secret, after string }

func (c canary) String() string { return c.before + c.secret + c.after }

func canaryRedactor(t testing.TB) *redact.Redactor {
	return newRedactor(t, redact.Pattern{Name: "customer", Pattern: `KD-\d{6}`}, redact.Pattern{Name: "vault", Pattern: "\U0001F511vault\\d"})
}

// escape writes a text as the inside of a JSON string, each character in a randomly
// chosen form.
func escape(text string, rng *rand.Rand) string {
	var b strings.Builder
	for _, r := range text {
		switch rng.IntN(3) {
		case 0:
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[rng.IntN(2)], u)
			}
		case 1:
			if r == '/' {
				b.WriteString(`\/`)
				continue
			}
			fallthrough
		default:
			q, _ := json.Marshal(string(r))
			b.Write(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// seen returns everything a reader could find in a text, with all layers of escapes
// resolved.
func seen(t testing.TB, text string) string {
	t.Helper()
	all := text
	for range 8 {
		next := text
		var s string
		if json.Unmarshal([]byte(`"`+strings.NewReplacer(`"`, `\"`, "\n", `\n`, `\"`, `\"`).Replace(text)+`"`), &s) == nil {
			next = s
		}
		if s, err := url.PathUnescape(next); err == nil {
			next = s
		}
		if next == text {
			break
		}
		text = next
		all += "\n" + text
	}
	return all
}

func TestEscapesHideNothing(t *testing.T) {
	r := canaryRedactor(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, canary := range canaries {
		for depth := range 5 {
			text := "say " + canary.String() + " now"
			for range depth + 1 {
				text = escape(text, rng)
			}
			body := `{"messages":[{"role":"user","content":"` + text + `"}],"tool_calls":[{"function":{"arguments":"{\"a\":\"` + escape(text, rng) + `\"}"}}]}`
			require.True(t, json.Valid([]byte(body)))
			out := redacted(r, body, unlimited)
			require.True(t, json.Valid([]byte(out)), out)
			require.NotContains(t, seen(t, out), canary.secret, "depth %d", depth)
			require.Equal(t, 2, strings.Count(out, "[redacted:"), out)
		}
	}
	require.Equal(t, "/u?m=[redacted:email]&x=50%25", r.RedactText("/u?m=canary%40example.com&x=50%25"))
}

// Deltas of an interrupted stream and truncated bodies are not JSON. They are scanned
// all the same.
func TestWhatIsNoJSONIsLookedThrough(t *testing.T) {
	r := canaryRedactor(t)
	out := redacted(r, `data: {"content":"mail canary\u0040example.com or \"KD\u002d123456\""}`+"\n\n"+`{"password":"hunter2`, unlimited)
	require.Equal(t, `data: {"content":"mail [redacted:email] or \"[redacted:customer]\""}`+"\n\n"+`{"password":"[redacted:password]`, out)
}

// Wherever the limit falls, nothing remains of a secret that crosses it.
func TestNoPieceIsLeftAtTheLimit(t *testing.T) {
	r := canaryRedactor(t)
	for _, canary := range canaries {
		body := `{"a":"` + strings.Repeat("word ", 20) + `","b":"` + strings.Repeat("filler ", 10) + strings.ReplaceAll(canary.String(), `"`, `\"`) + strings.Repeat(" more", 2000) + `"}`
		at := strings.Index(body, canary.secret)
		for limit := at - 8; limit < at+len(canary.secret)+8; limit++ {
			for _, give := range []string{body, body[:len(body)-1]} {
				out := redacted(r, give, limit)
				require.LessOrEqual(t, len(out), limit)
				require.NotContains(t, out, canary.secret[:4], "limit %d", limit)
				require.True(t, strings.HasPrefix(out, body[:min(at, limit)-1]), "limit %d", limit)
			}
		}
	}
}

// A marker is shorter than the text it replaces. After it, the text continues only as
// far as it was scanned together with what follows.
func TestNoPieceIsLeftWhereTheTextWasLookedAt(t *testing.T) {
	r := canaryRedactor(t)
	const limit = 1000
	long := strings.Repeat(strings.Repeat("a", 100)+"@example.com ", 20)
	for at := limit - 100; at < limit+redact.Lookahead+100; at += 7 {
		filler := long + strings.Repeat("x ", at)
		body := `{"a":"` + filler + `canary.person@example.com` + strings.Repeat(" y", 10_000) + `"}`
		require.NotContains(t, redacted(r, body, limit), "canary", "at %d", at)
	}
}

func TestLongDataMakesRoomForWhatFollows(t *testing.T) {
	body := `{"image":"` + strings.Repeat("QUJD", 50_000) + `","text":"after it a@b.io"}`
	require.Equal(t, `{"image":"[redacted:data 200000 bytes]","text":"after it [redacted:email]"}`, redacted(newRedactor(t), body, 100))
}
