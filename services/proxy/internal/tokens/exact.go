package tokens

import (
	"context"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/tokens/bpe"
)

const (
	// maxWanted is how many texts wait to be counted.
	maxWanted = 16
	// MaxPiece is how much of one is counted, in bytes: enough to learn from, in
	// about a millisecond.
	MaxPiece = 4 << 10
)

// piece is a text to count.
type piece struct {
	of       Source
	encoding string
	text     string
}

// Count asks for a text to be counted exactly, where a source reported nothing
// and its tokenizer is one that we have; text is not called otherwise. tokenizer
// is its name where the catalog knows it. It never waits: what finds no room is
// not counted, and the record that it was asked for is not changed by it. Only
// later estimates are.
func (l *Learner) Count(of Source, tokenizer string, text func() string) {
	encoding := encodingOf(tokenizer, of.Family)
	if l == nil || encoding == "" || len(l.wanted) == cap(l.wanted) {
		return
	}
	if r := l.make(of); r == nil || r.input.settled() {
		return
	}
	select {
	case l.wanted <- piece{of, encoding, text()}:
	default:
	}
}

// Run counts, until ctx ends. The tables of a tokenizer are some megabytes and
// are loaded when first needed.
func (l *Learner) Run(ctx context.Context) {
	loaded := map[string]*bpe.Encoding{}
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-l.wanted:
			if loaded[p.encoding] == nil {
				// An encoding that does not load counts nothing.
				loaded[p.encoding], _ = bpe.New(p.encoding)
			}
			l.count(loaded[p.encoding], p)
		}
	}
}

func (l *Learner) count(e *bpe.Encoding, p piece) {
	text := []byte(p.text[:min(len(p.text), MaxPiece)])
	if e != nil {
		l.LearnInput(p.of, Text(text).Tokens(), int64(e.Count(text)))
	}
}

const (
	o200k  = "o200k"
	cl100k = "cl100k"
)

// byFamily is for models of which the catalog does not say it. It goes from the
// special to the general.
var byFamily = []struct{ prefix, encoding string }{
	{"gpt-3.5", cl100k}, {"gpt-4o", o200k}, {"gpt-4.", o200k}, {"gpt-4", cl100k}, {"gpt-", o200k}, {"chatgpt-", o200k},
	{"o1", o200k}, {"o3", o200k}, {"o4", o200k}, {"text-embedding-", cl100k},
}

// encodingOf is the encoding of a tokenizer, else of a family, "" if we do not
// have it. The variants of one, such as o200k_harmony, differ in nothing that a
// text has.
func encodingOf(tokenizer, family string) string {
	if tokenizer != "" {
		base, _, _ := strings.Cut(tokenizer, "_")
		if !bpe.Has(base) {
			return ""
		}
		return base
	}
	for _, f := range byFamily {
		if strings.HasPrefix(family, f.prefix) {
			return f.encoding
		}
	}
	return ""
}
