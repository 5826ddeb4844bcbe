package emulate

import (
	"encoding/json"
	"slices"
	"strings"
)

// prompt is what a call asks of a model, independent of the vendor.
type prompt struct {
	tools  []tool
	choice choice
	// schema is the schema of the response; nil for text.
	schema json.RawMessage
	// object requests any JSON object.
	object bool
	think  bool
	// max is the output limit; 0 for none.
	max   int64
	stops []string
	// responses is the number of requested responses.
	responses int
	// last is the text of the last message; results are its tool results.
	last    string
	results []string
	media   int
	// script is all that the model reads; marks are the caller's cache breakpoints.
	script strings.Builder
	marks  []mark
}

type tool struct {
	name   string
	schema json.RawMessage
}

// choice says whether tools may or must be called.
type choice struct {
	never, must, single bool
	// only lists the tools that may be called; empty means all.
	only []string
}

// mark is a cache breakpoint by its offset in the script.
type mark struct {
	at   int
	hour bool
}

func (p *prompt) addText(role, said string) {
	p.script.WriteString(role)
	p.script.WriteByte('\n')
	p.script.WriteString(said)
	p.script.WriteByte('\n')
}

func (p *prompt) addMark(hour bool) { p.marks = append(p.marks, mark{p.script.Len(), hour}) }

// mediaTokens is the token count of an image or a file.
const mediaTokens = 256

func (p *prompt) countTokens() int64 { return Tokens(p.script.String()) + int64(p.media)*mediaTokens }

// toolsToCall returns the tools to call: those that the last message names after the word "call",
// in its order, and at least one if the caller requires it.
func (p *prompt) toolsToCall() []tool {
	if p.choice.never || len(p.tools) == 0 {
		return nil
	}
	var named []tool
	if len(p.results) == 0 {
		named = p.mentionedTools()
	}
	if len(named) == 0 && p.choice.must {
		named = p.allowedTools()[:1]
	}
	if p.choice.single && len(named) > 1 {
		named = named[:1]
	}
	return named
}

func (p *prompt) allowedTools() []tool {
	if len(p.choice.only) == 0 {
		return p.tools
	}
	var some []tool
	for _, t := range p.tools {
		if slices.Contains(p.choice.only, t.name) {
			some = append(some, t)
		}
	}
	if len(some) == 0 {
		return p.tools
	}
	return some
}

func (p *prompt) mentionedTools() []tool {
	_, said, found := strings.Cut(p.last, "call ")
	if !found {
		return nil
	}
	between := func(r rune) bool { return strings.ContainsRune(" \t\n,;!?\"'`()", r) }
	var named []tool
	for word := range strings.FieldsFuncSeq(said, between) {
		word = strings.TrimSuffix(word, ".")
		i := slices.IndexFunc(p.allowedTools(), func(t tool) bool { return t.name == word })
		if i >= 0 {
			named = append(named, p.allowedTools()[i])
		}
	}
	return named
}
