// Package bpe counts tokens exactly as OpenAI's tokenizers o200k and cl100k do.
// It processes a few megabytes per second, so it is meant for background work. Package
// tokens has the estimate for the request path.
//
// The tables come from tiktoken (MIT license) and are compressed. They use about four
// megabytes of memory once New has unpacked them. The tests compare the tables and the
// counts with another implementation.
package bpe

import (
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:embed o200k.gz
var o200k string

//go:embed cl100k.gz
var cl100k string

// These regular expressions split a text into words before bytes are merged. The last
// group matches white space. If other text follows, the last character of the white
// space belongs to the next word. An expression for this rule needs a look-ahead. Go's
// regexp has none, so firstWordLength applies the rule.
const (
	blankClass         = `\s\v\x{85}\p{Z}`
	contractionPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	upperClass         = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	lowerClass         = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	prefixPattern      = `[^\r\n\p{L}\p{N}]?`
	spacePattern       = `[` + blankClass + `]*[\r\n]+|([` + blankClass + `]+)`

	o200kWordPattern = prefixPattern + upperClass + `*` + lowerClass + `+` + contractionPattern + `?|` + prefixPattern + upperClass + `+` + lowerClass + `*` + contractionPattern + `?|` +
		`\p{N}{1,3}| ?[^` + blankClass + `\p{L}\p{N}]+[\r\n/]*|` + spacePattern
	cl100kWordPattern = contractionPattern + `|` + prefixPattern + `\p{L}+|\p{N}{1,3}| ?[^` + blankClass + `\p{L}\p{N}]+[\r\n]*|` + spacePattern
)

// Encoding is a tokenizer. It is safe for concurrent use.
type Encoding struct {
	words *regexp.Regexp
	ranks rankTable
}

// Supports reports whether New accepts the name.
func Supports(name string) bool { return name == "o200k" || name == "cl100k" }

// New unpacks the tables of an encoding, which takes tens of milliseconds. It fails if
// the name is unknown.
func New(name string) (*Encoding, error) {
	packed, words := o200k, o200kWordPattern
	switch name {
	case "o200k":
	case "cl100k":
		packed, words = cl100k, cl100kWordPattern
	default:
		return nil, fmt.Errorf("unknown encoding %q", name)
	}
	r, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	matcher, err := regexp.Compile(`^(?:` + words + `)`)
	if err != nil {
		return nil, fmt.Errorf("compile word pattern of %s: %w", name, err)
	}
	return &Encoding{words: matcher, ranks: newRankTable(all)}, nil
}

// Count returns the number of tokens of a text. Special tokens count as plain
// text.
func (e *Encoding) Count(text []byte) int {
	n := 0
	var m merger
	for len(text) > 0 {
		size := e.firstWordLength(text)
		n += m.countTokens(&e.ranks, text[:size])
		text = text[size:]
	}
	return n
}

// firstWordLength returns the length of the first word in bytes.
func (e *Encoding) firstWordLength(text []byte) int {
	at := e.words.FindSubmatchIndex(text)
	if at == nil {
		return 1 // invalid UTF-8
	}
	end := at[1]
	if at[2] < 0 || end == len(text) {
		return end
	}
	if _, last := utf8.DecodeLastRune(text[:end]); last < end {
		return end - last
	}
	return end
}

// merger merges the bytes of a word into tokens. It repeatedly merges the two adjacent
// parts that form the token with the lowest rank. Its buffers are reused.
type merger struct {
	// edges holds the start of each part, and finally the end of the word. ranks holds,
	// for each part, the rank of the part merged with the next one.
	edges []int
	ranks []int32
}

func (m *merger) countTokens(t *rankTable, word []byte) int {
	if t.rankOf(word) != noRank {
		return 1
	}
	m.edges, m.ranks = m.edges[:0], m.ranks[:0]
	for i := range len(word) + 1 {
		m.edges = append(m.edges, i)
	}
	for i := range word {
		m.ranks = append(m.ranks, m.pairRank(t, word, i))
	}
	for {
		best := 0
		for i, r := range m.ranks {
			if r < m.ranks[best] {
				best = i
			}
		}
		if m.ranks[best] == noRank {
			return len(m.ranks)
		}
		m.edges = slices.Delete(m.edges, best+1, best+2)
		m.ranks = slices.Delete(m.ranks, best+1, best+2)
		m.ranks[best] = m.pairRank(t, word, best)
		if best > 0 {
			m.ranks[best-1] = m.pairRank(t, word, best-1)
		}
	}
}

// pairRank returns the rank of a part merged with the next one.
func (m *merger) pairRank(t *rankTable, word []byte, part int) int32 {
	if part+2 >= len(m.edges) {
		return noRank
	}
	return t.rankOf(word[m.edges[part]:m.edges[part+2]])
}
