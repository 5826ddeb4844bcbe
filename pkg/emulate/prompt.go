package emulate

import (
	"encoding/json"
	"slices"
	"strings"
)

// prompt is the content of a request in a form that does not depend on the vendor.
type prompt struct {
	tools  []tool
	choice choice
	// schema is the JSON schema of the response. It is nil if the request has no schema.
	schema json.RawMessage
	// wantsObject means that the response must be a JSON object of any form.
	wantsObject bool
	think       bool
	// maxOutput is the limit of output tokens, or 0.
	maxOutput int64
	stops     []string
	// responses is the number of requested responses, or 0 for one.
	responses int
	// lastText is the text of the last user message. results contains the tool results at the end of the
	// conversation.
	lastText   string
	results    []string
	mediaCount int
	// script is the whole text that the model reads. marks are the caller's cache breakpoints.
	script strings.Builder
	marks  []mark
}

type tool struct {
	name   string
	schema json.RawMessage
}

// choice describes whether the model may or must call tools.
type choice struct {
	noTools, required, oneCall bool
	// allowed lists the tools that may be called. Empty means all tools.
	allowed []string
}

// mark is a cache breakpoint at an offset in the script. oneHour means that the cache lasts one hour.
type mark struct {
	offset  int
	oneHour bool
}

func (p *prompt) addText(role, said string) {
	p.script.WriteString(role)
	p.script.WriteByte('\n')
	p.script.WriteString(said)
	p.script.WriteByte('\n')
}

func (p *prompt) addMark(hour bool) { p.marks = append(p.marks, mark{p.script.Len(), hour}) }

// mediaTokens is the number of tokens that each image or file counts as.
const mediaTokens = 256

func (p *prompt) countTokens() int64 {
	return Tokens(p.script.String()) + int64(p.mediaCount)*mediaTokens
}

// toolsToCall returns the tools that the response calls. These are the tools that the last user message
// mentions after the word "call", in this order. Mentions are ignored if the conversation ends with tool
// results, so that the same tools are not called again. If the caller requires a call, the first allowed
// tool is the default.
func (p *prompt) toolsToCall() []tool {
	if p.choice.noTools || len(p.tools) == 0 {
		return nil
	}
	var named []tool
	if len(p.results) == 0 {
		named = p.mentionedTools()
	}
	if len(named) == 0 && p.choice.required {
		named = p.allowedTools()[:1]
	}
	if p.choice.oneCall && len(named) > 1 {
		named = named[:1]
	}
	return named
}

func (p *prompt) allowedTools() []tool {
	if len(p.choice.allowed) == 0 {
		return p.tools
	}
	var some []tool
	for _, t := range p.tools {
		if slices.Contains(p.choice.allowed, t.name) {
			some = append(some, t)
		}
	}
	if len(some) == 0 {
		return p.tools
	}
	return some
}

func (p *prompt) mentionedTools() []tool {
	_, said, found := strings.Cut(p.lastText, "call ")
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
