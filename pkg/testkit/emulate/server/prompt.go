package server

import (
	"encoding/json"
	"slices"
	"strings"
)

// Prompt is the content of a request in a form that does not depend on the vendor.
type Prompt struct {
	Tools  []Tool
	Choice Choice
	// Schema is the JSON schema of the response. It is nil if the response is text.
	Schema json.RawMessage
	// WantsObject means that the response must be a JSON object of any form.
	WantsObject bool
	Think       bool
	// MaxOutput is the limit of output tokens, or 0.
	MaxOutput int64
	Stops     []string
	// Responses is the number of requested responses, or 0 for one.
	Responses int
	// LastText is the text of the last user message. Results contains the tool results at the end of the
	// conversation.
	LastText   string
	Results    []string
	MediaCount int
	// Called lists the names of the tools that the conversation has called, oldest first.
	Called []string
	// script is the whole text that the model reads. marks are the caller's cache breakpoints.
	script strings.Builder
	marks  []mark
}

// Tool is a tool that the request offers. Schema is the JSON schema of its arguments.
type Tool struct {
	Name   string
	Schema json.RawMessage
}

// Choice describes whether the model may or must call tools.
type Choice struct {
	Never, Must, Single bool
	// Only lists the tools that may be called. Empty means all tools.
	Only []string
}

// mark is a cache breakpoint at an offset in the script. oneHour means that the cache lasts one hour.
type mark struct {
	offset  int
	oneHour bool
}

// AddText adds a message to the text that the model reads.
func (p *Prompt) AddText(role, said string) {
	p.script.WriteString(role + "\n" + said + "\n")
}

// AddCall adds a tool call of an earlier response. Args is a JSON object.
func (p *Prompt) AddCall(name, args string) {
	p.Called = append(p.Called, name)
	p.AddText("call", name+args)
}

// Text returns the whole text that the model reads.
func (p *Prompt) Text() string { return p.script.String() }

// CountMarks returns the number of cache breakpoints.
func (p *Prompt) CountMarks() int { return len(p.marks) }

// AddMark sets a cache breakpoint after the text that was added so far.
func (p *Prompt) AddMark(hour bool) { p.marks = append(p.marks, mark{p.script.Len(), hour}) }

// mediaTokens is the number of tokens that an image or a file counts.
const mediaTokens = 256

// CountTokens returns the number of input tokens.
func (p *Prompt) CountTokens() int64 {
	return Tokens(p.script.String()) + int64(p.MediaCount)*mediaTokens
}

// toolsToCall returns the tools that the response calls. These are the tools that the last user message
// mentions after the word "call", in this order. Mentions are ignored if the conversation ends with tool
// results, so that the same tools are not called again. If the caller requires a call, the first allowed
// tool is the default.
func (p *Prompt) toolsToCall() []Tool {
	if p.Choice.Never || len(p.Tools) == 0 {
		return nil
	}
	var named []Tool
	if len(p.Results) == 0 {
		named = p.mentionedTools()
	}
	if len(named) == 0 && p.Choice.Must {
		named = p.allowedTools()[:1]
	}
	if p.Choice.Single {
		return named[:min(len(named), 1)]
	}
	return named
}

func (p *Prompt) allowedTools() []Tool {
	var some []Tool
	for _, t := range p.Tools {
		if slices.Contains(p.Choice.Only, t.Name) {
			some = append(some, t)
		}
	}
	if len(some) == 0 {
		return p.Tools
	}
	return some
}

func (p *Prompt) mentionedTools() []Tool {
	_, said, found := strings.Cut(p.LastText, "call ")
	if !found {
		return nil
	}
	between := func(r rune) bool { return strings.ContainsRune(" \t\n,;!?\"'`()", r) }
	var named []Tool
	for word := range strings.FieldsFuncSeq(said, between) {
		word = strings.TrimSuffix(word, ".")
		i := slices.IndexFunc(p.allowedTools(), func(t Tool) bool { return t.Name == word })
		if i >= 0 {
			named = append(named, p.allowedTools()[i])
		}
	}
	return named
}
