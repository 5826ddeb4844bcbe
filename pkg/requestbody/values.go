package requestbody

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// readMaxTokens reads max_tokens or max_completion_tokens. If a client sends both,
// the smaller limit applies.
func (p *parser) readMaxTokens(name []byte) {
	n, ok := p.readInteger(name, 1)
	if n > math.MaxInt32 {
		p.SetError(errInvalidParam(string(name), "must be at most "+strconv.Itoa(math.MaxInt32)))
	}
	if ok && (p.req.MaxOutputTokens == 0 || n < p.req.MaxOutputTokens) {
		p.req.MaxOutputTokens = n
	}
}

func (p *parser) parseBool(name string, v jsontext.Value) bool {
	if p.Err() == nil && !jsonscan.IsNull(v) && v[0] != 't' && v[0] != 'f' {
		p.SetError(errInvalidParam(name, "must be true or false"))
	}
	return len(v) > 0 && v[0] == 't'
}

func (p *parser) readInteger(name []byte, least int64) (int64, bool) {
	v := p.Value()
	if jsonscan.IsNull(v) {
		return 0, false
	}
	n, ok := jsonscan.ParseInteger(v)
	if !ok || n < least {
		p.SetError(errInvalidParam(string(name), "must be an integer of at least "+strconv.FormatInt(least, 10)))
		return 0, false
	}
	return n, true
}

// MaxChoices is the OpenAI limit for completions per request.
const MaxChoices = 128

// readChoices reads the number of choices. The value is limited because each choice of a stream needs
// memory.
func (p *parser) readChoices(name []byte) {
	n, ok := p.readInteger(name, 1)
	if n > MaxChoices {
		p.SetError(errInvalidParam(string(name), "must be at most "+strconv.Itoa(MaxChoices)))
	}
	if ok {
		p.req.Choices = int(n)
	}
}

// allowedKinds lists, for each member, the first bytes of allowed values and their
// description. Null is always allowed.
var allowedKinds = map[string]struct{ kinds, names string }{
	"tool_choice":   {`"{`, "a string or an object"},
	"function_call": {`"{`, "a string or an object"},
	"logit_bias":    {`{`, "an object"},
	"user":          {`"`, "a string"},
}

// checkKind reads a member and checks only the kind of its value.
func (p *parser) checkKind(name []byte) {
	v := p.Value()
	if s := allowedKinds[string(name)]; p.Err() == nil && !jsonscan.IsNull(v) && strings.IndexByte(s.kinds, v[0]) < 0 {
		p.SetError(errInvalidParam(string(name), "must be "+s.names))
	}
	if len(v) > maxUserLength && string(name) == "user" {
		p.SetError(errInvalidParam("user", "is too long"))
	}
}

const (
	// maxUserLength is above the length of any real user id, in bytes.
	maxUserLength = 4 << 10
	// maxMetadataBytes is above the size of the sixteen pairs that OpenAI allows.
	maxMetadataBytes = 16 << 10
	maxMetadataPairs = 64
	// maxRoutingPairs, maxRoutingName and maxRoutingValue are the limits of OpenAI.
	// Metadata beyond these limits is forwarded, but routing ignores it.
	maxRoutingPairs, maxRoutingName, maxRoutingValue = 16, 64, 512
)

func (p *parser) readMetadata() {
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam("metadata", "must be an object"))
		return
	}
	start, pairs := p.Offset()-1, 0
	for ; p.NextMember(); pairs++ {
		name := string(p.Name())
		p.addMetadata(name, p.Value())
	}
	if pairs > maxMetadataPairs || p.Offset()-start > maxMetadataBytes {
		p.SetError(errInvalidParam("metadata", fmt.Sprintf("must have at most %d members and %d KiB", maxMetadataPairs, maxMetadataBytes>>10)))
	}
}

// addMetadata stores a pair that a routing rule can use.
func (p *parser) addMetadata(name string, v jsontext.Value) {
	if !jsonscan.IsString(v) || len(name) > maxRoutingName || jsonscan.DecodedLen(v) > maxRoutingValue || len(p.req.Metadata) == maxRoutingPairs {
		return
	}
	if p.req.Metadata == nil {
		p.req.Metadata = map[string]string{}
	}
	p.req.Metadata[name] = jsonscan.DecodeText(v)
}

func (p *parser) readStop() {
	if !p.Enter(jsonscan.BeginArray) {
		if v := p.Value(); p.Err() == nil && !jsonscan.IsNull(v) && !jsonscan.IsString(v) {
			p.SetError(errInvalidStop())
		}
		return
	}
	count := 0
	for ; p.NextElement(); count++ {
		if v := p.Value(); p.Err() == nil && !jsonscan.IsString(v) {
			p.SetError(errInvalidStop())
		}
	}
	if count > maxStops {
		p.SetError(errInvalidParam("stop", fmt.Sprintf("must have at most %d strings", maxStops)))
	}
}

// maxStops is the largest number of stop strings that a large vendor documents. OpenAI
// itself accepts 4 and says so.
const maxStops = 16

// readSeed checks that the seed is an integer of 64 bits, as OpenAI does.
func (p *parser) readSeed(name []byte) {
	v := p.Value()
	if p.Err() != nil || jsonscan.IsNull(v) {
		return
	}
	if _, ok := jsonscan.ParseInteger(v); !ok {
		p.SetError(errInvalidParam(string(name), "must be an integer from -9223372036854775808 to 9223372036854775807"))
	}
}

func errInvalidStop() error {
	return errInvalidParam("stop", "must be a string or an array of strings")
}

func (p *parser) readNumber(name []byte, least, most float64) {
	v := p.Value()
	if jsonscan.IsNull(v) {
		return
	}
	f, err := strconv.ParseFloat(string(v), 64)
	switch {
	case err != nil:
		p.SetError(errInvalidParam(string(name), "must be a number"))
	case f < least || f > most:
		p.SetError(errInvalidParam(string(name), fmt.Sprintf("must be from %g to %g", least, most)))
	}
}

// readPlain reads a value that is compared with known names, such as a type. It removes needless
// escapes: an upstream sees the same name in every spelling, so the parser must see it too.
func (p *parser) readPlain() jsontext.Value {
	v := p.Value()
	if !jsonscan.IsString(v) || bytes.IndexByte(v, '\\') < 0 {
		return v
	}
	return jsonscan.AppendQuoted(nil, jsonscan.DecodeString(v))
}

// skipNull reads the next value if it is null. Clients send null for "not set".
func (p *parser) skipNull() bool {
	return p.Enter(jsonscan.Null)
}

// readUnknownMember reads a member that we do not interpret. It rejects a name that
// differs from one of names only in case. An upstream that ignores case would interpret
// such a member, although we have not checked its value.
func (p *parser) readUnknownMember(names []string) jsontext.Value {
	if !isPlainName(p.Name()) {
		for _, name := range names {
			if bytes.EqualFold([]byte(name), p.Name()) {
				p.SetError(errInvalidParam(string(p.Name()), fmt.Sprintf("must be spelled %q", name)))
			}
		}
	}
	return p.Value()
}

// isPlainName reports whether a name has no characters that case folding changes.
func isPlainName(name []byte) bool {
	return !slices.ContainsFunc(name, func(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 0x80 })
}
