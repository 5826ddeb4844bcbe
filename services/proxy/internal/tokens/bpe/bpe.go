// Package bpe counts the tokens of a text as OpenAI's tokenizers o200k and
// cl100k do, to the token. It is slow, some megabytes a second, and is for work
// beside the path; package tokens has the estimate that is on it. The tables are
// those of tiktoken (MIT), packed: they take no memory before New, and some
// four megabytes after it. The tests hold them and the counts against another
// implementation.
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

// What a text is cut into before its bytes are merged. The last group is spaces
// that something follows: the last of them belongs to that, which a regular
// expression without a look ahead cannot say.
const (
	blank  = `\s\v\x{85}\p{Z}`
	suffix = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	heads  = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	tails  = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	before = `[^\r\n\p{L}\p{N}]?`
	spaces = `[` + blank + `]*[\r\n]+|([` + blank + `]+)`

	o200kWords = before + heads + `*` + tails + `+` + suffix + `?|` + before + heads + `+` + tails + `*` + suffix + `?|` +
		`\p{N}{1,3}| ?[^` + blank + `\p{L}\p{N}]+[\r\n/]*|` + spaces
	cl100kWords = suffix + `|` + before + `\p{L}+|\p{N}{1,3}| ?[^` + blank + `\p{L}\p{N}]+[\r\n]*|` + spaces
)

// Encoding is a tokenizer. It is safe for concurrent use.
type Encoding struct {
	words *regexp.Regexp
	ranks table
}

// Has tells whether there is an encoding of that name.
func Has(name string) bool { return name == "o200k" || name == "cl100k" }

// New unpacks the tables of an encoding, which takes some tens of milliseconds.
// It fails for a name that there is none of.
func New(name string) (*Encoding, error) {
	packed, words := o200k, o200kWords
	switch name {
	case "o200k":
	case "cl100k":
		packed, words = cl100k, cl100kWords
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
		return nil, fmt.Errorf("words of %s: %w", name, err)
	}
	return &Encoding{words: matcher, ranks: newTable(all)}, nil
}

// Count is how many tokens a text has. Special tokens are text like any other.
func (e *Encoding) Count(text []byte) int {
	n := 0
	var m merger
	for len(text) > 0 {
		size := e.word(text)
		n += m.count(&e.ranks, text[:size])
		text = text[size:]
	}
	return n
}

// word is how long the first word is.
func (e *Encoding) word(text []byte) int {
	at := e.words.FindSubmatchIndex(text)
	if at == nil {
		return 1 // no UTF-8
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

// merger joins the bytes of one word after another.
type merger struct {
	// edges are where the parts begin, and the end; ranks has, for each part,
	// what it would be together with the next.
	edges []int
	ranks []int32
}

func (m *merger) count(t *table, word []byte) int {
	if t.rank(word) != none {
		return 1
	}
	m.edges, m.ranks = m.edges[:0], m.ranks[:0]
	for i := range len(word) + 1 {
		m.edges = append(m.edges, i)
	}
	for i := range word {
		m.ranks = append(m.ranks, m.joined(t, word, i))
	}
	for {
		best := 0
		for i, r := range m.ranks {
			if r < m.ranks[best] {
				best = i
			}
		}
		if m.ranks[best] == none {
			return len(m.ranks)
		}
		m.edges = slices.Delete(m.edges, best+1, best+2)
		m.ranks = slices.Delete(m.ranks, best+1, best+2)
		m.ranks[best] = m.joined(t, word, best)
		if best > 0 {
			m.ranks[best-1] = m.joined(t, word, best-1)
		}
	}
}

// joined is the rank of a part and the one after it.
func (m *merger) joined(t *table, word []byte, part int) int32 {
	if part+2 >= len(m.edges) {
		return none
	}
	return t.rank(word[m.edges[part]:m.edges[part+2]])
}
