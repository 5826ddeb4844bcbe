package tokens_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

func TestNoTextIsFree(t *testing.T) {
	require.Zero(t, tokens.Text(nil).Tokens())
	require.EqualValues(t, 1, tokens.Text([]byte("a")).Tokens())
	require.EqualValues(t, 1, tokens.OfBytes(1))
	require.EqualValues(t, 2, tokens.OfBytes(5))
	require.Zero(t, tokens.OfBytes(0))
}

// escaped writes every rune that can be as an escape of its own.
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

func TestEscapesCountAsWhatTheyStandFor(t *testing.T) {
	for _, k := range kinds(t) {
		for _, p := range k.pieces[1:] {
			short := string(bytes.ToValidUTF8(p[:min(len(p), 80)], nil))
			written := []byte(escaped(short))
			require.Equal(t, tokens.Text([]byte(short)), tokens.JSON(written), "%s", written)
		}
	}
}

// What is no escape is no reason to fail.
func TestHalfAnEscapeIsText(t *testing.T) {
	for _, give := range []string{`\`, `\u`, `\u12`, `\u12x4`, `\ud83d`, `\ud83d\`, `\ud83dx`, `\q`, strings.Repeat(`\`, 3000), strings.Repeat(`\u041`, 900)} {
		require.Positive(t, tokens.JSON([]byte(give)), give)
	}
}

// Of a long text only places are read; the rest is like them.
func TestALongTextIsLikeItsParts(t *testing.T) {
	for _, k := range kinds(t) {
		var parts tokens.Milli
		var long []byte
		for _, p := range k.pieces[6:10] { // the quarters
			for ; len(p) > 0; p = p[min(len(p), 400):] {
				parts += 8 * tokens.Text(p[:min(len(p), 400)])
			}
		}
		for range 8 {
			long = append(long, k.pieces[0]...)
		}
		require.InEpsilon(t, int64(parts), int64(tokens.Text(long)), 0.15, k.name)
		require.InEpsilon(t, int64(parts), int64(tokens.JSON([]byte(escaped(string(long))))), 0.15, "%s, escaped", k.name)
	}
}

func TestEstimatesDoNotAllocate(t *testing.T) {
	text := []byte(strings.Repeat(`a \u0434 text\n`, 1000))
	require.Zero(t, testing.AllocsPerRun(10, func() { tokens.JSON(text) }))
}
