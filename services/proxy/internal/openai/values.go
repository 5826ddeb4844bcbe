package openai

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxTokens keeps the smaller one where a client sends both names.
func (p *parser) maxTokens(name []byte) {
	n, ok := p.whole(name, 1)
	if n > math.MaxInt32 {
		p.fail(invalid(string(name), "must be at most "+strconv.Itoa(math.MaxInt32)))
	}
	if ok && (p.req.MaxOutputTokens == 0 || n < p.req.MaxOutputTokens) {
		p.req.MaxOutputTokens = n
	}
}

func (p *parser) boolean(name string, v jsontext.Value) bool {
	if p.err == nil && !isNull(v) && v[0] != 't' && v[0] != 'f' {
		p.fail(invalid(name, "must be true or false"))
	}
	return len(v) > 0 && v[0] == 't'
}

func (p *parser) whole(name []byte, least int64) (int64, bool) {
	v := p.value()
	if isNull(v) {
		return 0, false
	}
	n, ok := integer(v)
	if !ok || n < least {
		p.fail(invalid(string(name), "must be an integer of at least "+strconv.FormatInt(least, 10)))
		return 0, false
	}
	return n, true
}

// choices is the number of answers, each of which is tracked in a stream.
func (p *parser) choices() {
	n, ok := p.whole(p.name, 1)
	if n > maxChoices {
		p.fail(invalid("n", "must be at most "+strconv.Itoa(maxChoices)))
	}
	if ok {
		p.req.Choices = int(n)
	}
}

// shapes are the kinds that a member may have beside null, and their names.
var shapes = map[string]struct{ kinds, names string }{
	"tool_choice":   {`"{`, "a string or an object"},
	"function_call": {`"{`, "a string or an object"},
	"logit_bias":    {`{`, "an object"},
	"user":          {`"`, "a string"},
}

// shape passes over a member of which only the kind is checked.
func (p *parser) shape(name []byte) {
	v := p.value()
	if s := shapes[string(name)]; p.err == nil && !isNull(v) && strings.IndexByte(s.kinds, v[0]) < 0 {
		p.fail(invalid(string(name), "must be "+s.names))
	}
	if len(v) > maxUser && string(name) == "user" {
		p.fail(invalid("user", "is too long"))
	}
}

const (
	// maxUser is longer than any name of a user.
	maxUser = 4 << 10
	// maxMetadata is more than the format's own sixteen pairs can have.
	maxMetadata = 16 << 10
	maxPairs    = 64
	// keptPairs, keptName and keptValue are the format's own bounds: what is
	// beyond them is forwarded, but nobody routes by it.
	keptPairs, keptName, keptValue = 16, 64, 512
)

func (p *parser) metadata() {
	if p.null() {
		return
	}
	if !p.open(jsontext.KindBeginObject) {
		p.fail(invalid("metadata", "must be an object"))
		return
	}
	start, pairs := p.offset()-1, 0
	for ; p.member(); pairs++ {
		name := string(p.name)
		p.keepPair(name, p.value())
	}
	if pairs > maxPairs || p.offset()-start > maxMetadata {
		p.fail(invalid("metadata", fmt.Sprintf("must have at most %d members and %d KiB", maxPairs, maxMetadata>>10)))
	}
}

// keepPair notes a pair that a rule may ask for.
func (p *parser) keepPair(name string, v jsontext.Value) {
	if !isText(v) || len(name) > keptName || textLen(v) > keptValue || len(p.req.Metadata) == keptPairs {
		return
	}
	if p.req.Metadata == nil {
		p.req.Metadata = map[string]string{}
	}
	p.req.Metadata[name] = text(v)
}

func (p *parser) stop() {
	if !p.open(jsontext.KindBeginArray) {
		if v := p.value(); p.err == nil && !isNull(v) && !isText(v) {
			p.fail(errStop())
		}
		return
	}
	for p.element() {
		if v := p.value(); p.err == nil && !isText(v) {
			p.fail(errStop())
		}
	}
}

func errStop() error { return invalid("stop", "must be a string or an array of strings") }

func (p *parser) number(name []byte, least, most float64) {
	v := p.value()
	if isNull(v) {
		return
	}
	f, err := strconv.ParseFloat(string(v), 64)
	switch {
	case err != nil:
		p.fail(invalid(string(name), "must be a number"))
	case f < least || f > most:
		p.fail(invalid(string(name), fmt.Sprintf("must be from %g to %g", least, most)))
	}
}

// null reads the next value if it is null, which clients send for "not set".
func (p *parser) null() bool {
	return p.kind() == jsontext.KindNull && p.token()
}

// unknown passes over a member that we do not interpret. A name that differs
// from one that we do only in case is refused: an upstream that folds case
// would see another request than the one we checked.
func (p *parser) unknown(names []string) jsontext.Value {
	if !plain(p.name) {
		for _, name := range names {
			if bytes.EqualFold([]byte(name), p.name) {
				p.fail(invalid(string(p.name), fmt.Sprintf("must be written %q", name)))
			}
		}
	}
	return p.value()
}

// plain tells whether a name has nothing that could be folded.
func plain(name []byte) bool {
	return !slices.ContainsFunc(name, func(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 0x80 })
}
