package bpe

import (
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer/codec"
)

// patterns are tiktoken's original regular expressions, with look-ahead.
var patterns = map[string]string{
	"o200k": `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	"cl100k": `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
}

var samples = []string{
	"", "a", " ", "  ", "   a", "\n", "\n\n  a", "a  \n b\t\tc", "\n \n0", " \u00a0 x", " \u00a0\"A", "\u3000\u3000x", "x \u2028", "I'll we'Ve IT'S x'dog 'tis", "12345 6",
	"HTTPServer XMLHttpRequest camelCase", "e\u0301 \u01c5abc \u02b0\u02b1", "!!!\n\n//\n/ a", " ...\r\n", "\u0661\u0662\u0663\u0664", "<|endoftext|>",
	strings.Repeat("ab", 300), strings.Repeat(" ", 200) + "x", "\U0001f600\U0001f468\u200d\U0001f469", "\t\v\fa\x85b \u0085 c", "\x00\x01\x7f", "a\u200bb\u180ec", "\u00b2\u00bd \u2167x",
}

// FuzzCount compares the words with a matcher that has look-ahead, and their
// tokens with another tokenizer. The other tokenizer is not used for words with
// line ends or DEL, because its generated matcher splits them differently.
func FuzzCount(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	type pair struct {
		ours  *Encoding
		words *regexp2.Regexp
		codec *codec.Codec
	}
	all := map[string]pair{}
	for name, c := range map[string]*codec.Codec{"o200k": codec.NewO200kBase(), "cl100k": codec.NewCl100kBase()} {
		e, err := New(name)
		require.NoError(f, err)
		all[name] = pair{e, regexp2.MustCompile(`(?:`+patterns[name]+`)`, regexp2.None), c}
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		for name, p := range all {
			rest := []byte(text)
			m, err := p.words.FindStringMatch(text)
			for ; m != nil && err == nil; m, err = p.words.FindNextMatch(m) {
				word := string(rest[:p.ours.firstWordLength(rest)])
				require.Equal(t, m.String(), word, "%s: %q", name, text)
				rest = rest[len(word):]
				if !strings.ContainsAny(word, "\r\n\x7f") {
					want, err := p.codec.Count(word)
					require.NoError(t, err)
					require.Equal(t, want, p.ours.Count([]byte(word)), "%s: %q", name, word)
				}
			}
			require.NoError(t, err)
			require.Empty(t, rest)
		}
	})
}
