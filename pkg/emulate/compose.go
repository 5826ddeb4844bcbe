package emulate

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

type finish int

const (
	finished finish = iota
	// stopped means that the text contained a stop sequence.
	stopped
	// atTokenLimit means that the response reached the token limit.
	atTokenLimit
	// calling means that the response calls tools.
	calling
	// blocked means that the content filter stopped the response.
	blocked
)

// modelResponse is the model's response before it is encoded in a vendor's format.
type modelResponse struct {
	thinking string
	redacted bool
	text     string
	calls    []toolCall
	finish   finish
	// stop is the stop sequence that the text contained.
	stop        string
	choiceCount int
	usage       Usage
}

type toolCall struct {
	name, args string
}

// composeResponse creates the response. Its content depends only on the prompt and the directives.
func (c *call) composeResponse(p *prompt) *modelResponse {
	r := &modelResponse{choiceCount: max(1, p.responses)}
	if c.directives.has("block") {
		r.finish = blocked
		if c.directives.has("text") {
			r.text = truncateTokens(echoPrompt(p), 2)
		}
		c.recordUsage(p, r)
		return r
	}
	if p.think {
		r.thinking = fmt.Sprintf("The last message has %d characters. I will say so.", utf8.RuneCountInString(p.lastText))
		r.redacted = c.directives.has("redacted")
	}
	for _, t := range p.toolsToCall() {
		r.calls = append(r.calls, toolCall{t.name, sample(t.schema)})
		r.finish = calling
	}
	if len(r.calls) == 0 || c.directives.has("text") {
		r.text = c.composeText(p)
	}
	r.stopAt(p.stops)
	r.truncateTo(p.maxOutput)
	c.recordUsage(p, r)
	return r
}

func (c *call) composeText(p *prompt) string {
	switch {
	case c.directives.has("say"):
		return c.directives["say"]
	case c.directives.has("words"):
		return strings.TrimSpace(strings.Repeat("word ", min(c.directives.number("words"), 1<<20)))
	case p.schema != nil:
		return sample(p.schema)
	case p.wantsObject:
		return encodeJSON(map[string]string{"answer": echoPrompt(p)})
	}
	return echoPrompt(p)
}

// echoPrompt repeats the user's text or the tool results, so that tests can check that these arrived.
func echoPrompt(p *prompt) string {
	if len(p.results) > 0 {
		return "The tools answered: " + strings.Join(p.results, " and ")
	}
	said := "You said: " + removeDirectives(p.lastText)
	if p.mediaCount > 0 {
		said += fmt.Sprintf(" (with %d attachments)", p.mediaCount)
	}
	return said
}

// stopAt ends the text before a stop sequence.
func (r *modelResponse) stopAt(stops []string) {
	for _, s := range stops {
		if before, _, found := strings.Cut(r.text, s); found && s != "" {
			r.text, r.stop, r.finish, r.calls = before, s, stopped, nil
		}
	}
}

// truncateTo ends the response at the token limit. Thinking counts too. A truncated response has no tool
// calls.
func (r *modelResponse) truncateTo(most int64) {
	if most == 0 || r.outputTokens() <= most {
		return
	}
	r.finish, r.calls, r.stop = atTokenLimit, nil, ""
	r.thinking = truncateTokens(r.thinking, most)
	r.text = truncateTokens(r.text, most-Tokens(r.thinking))
}

func (r *modelResponse) outputTokens() int64 {
	n := Tokens(r.thinking) + Tokens(r.text)
	for _, c := range r.calls {
		n += Tokens(c.name + c.args)
	}
	return n
}

func (c *call) recordUsage(p *prompt, r *modelResponse) {
	r.usage = c.server.cache.splitUsage(c.key+"\n"+c.model, p)
	r.usage.Output = max(1, r.outputTokens()) * int64(r.choiceCount)
	r.usage.Reasoning = Tokens(r.thinking) * int64(r.choiceCount)
	c.usage = r.usage
}

func (c *call) splitForStream(text string) []string {
	if c.directives.has("lump") && text != "" {
		return []string{text}
	}
	return splitText(text)
}

// pieceRunes is the length of the text in one stream event. Real vendors send about as much.
const pieceRunes = 16

// splitText splits a text into pieces. It never splits a character.
func splitText(text string) []string {
	var all []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(pieceRunes, len(runes))
		all = append(all, string(runes[:n]))
		runes = runes[n:]
	}
	return all
}
