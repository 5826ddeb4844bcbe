package tokens_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/tokens"
)

func TestEveryTextHasTokens(t *testing.T) {
	require.Zero(t, tokens.EstimateText(nil).Tokens())
	require.EqualValues(t, 1, tokens.EstimateText([]byte("a")).Tokens())
	require.EqualValues(t, 1, tokens.EstimateFromLength(1))
	require.EqualValues(t, 2, tokens.EstimateFromLength(5))
	require.Zero(t, tokens.EstimateFromLength(0))
}

// escaped writes every rune as an escape.
func escaped(text string) string {
	ascii, _ := json.Marshal(text)
	var b strings.Builder
	for _, r := range string(ascii[1 : len(ascii)-1]) {
		switch {
		case r >= 0x10000:
			r -= 0x10000
			writeHex(&b, 0xd800+r>>10)
			writeHex(&b, 0xdc00+r&0x3ff)
		case r >= 0x80:
			writeHex(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func writeHex(b *strings.Builder, r rune) {
	const digits = "0123456789abcDEF"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(digits[r>>shift&15])
	}
}

func TestEscapesCountAsCharacters(t *testing.T) {
	for _, k := range kinds(t) {
		for _, p := range k.pieces[1:] {
			short := string(bytes.ToValidUTF8(p[:min(len(p), 80)], nil))
			written := []byte(escaped(short))
			require.Equal(t, tokens.EstimateText([]byte(short)), tokens.EstimateJSON(written), "%s", written)
		}
	}
}

// An invalid escape must not cause a failure.
func TestIncompleteEscapeCountsAsText(t *testing.T) {
	for _, give := range []string{`\`, `\u`, `\u12`, `\u12x4`, `\ud83d`, `\ud83d\`, `\ud83dx`, `\q`, strings.Repeat(`\`, 3000), strings.Repeat(`\u041`, 900)} {
		require.Positive(t, tokens.EstimateJSON([]byte(give)), give)
	}
}

// A long text is only sampled. Its estimate must fit its parts.
func TestLongTextMatchesItsParts(t *testing.T) {
	for _, k := range kinds(t) {
		var parts tokens.Milli
		var long []byte
		for _, p := range k.pieces[6:10] { // the quarters
			for ; len(p) > 0; p = p[min(len(p), 400):] {
				parts += 8 * tokens.EstimateText(p[:min(len(p), 400)])
			}
		}
		for range 8 {
			long = append(long, k.pieces[0]...)
		}
		require.InEpsilon(t, int64(parts), int64(tokens.EstimateText(long)), 0.15, k.name)
		require.InEpsilon(t, int64(parts), int64(tokens.EstimateJSON([]byte(escaped(string(long))))), 0.15, "%s, escaped", k.name)
	}
}

func TestEstimatesDoNotAllocate(t *testing.T) {
	text := []byte(strings.Repeat(`a \u0434 text\n`, 1000))
	require.Zero(t, testing.AllocsPerRun(10, func() { tokens.EstimateJSON(text) }))
}
