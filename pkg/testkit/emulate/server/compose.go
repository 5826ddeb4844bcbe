package server

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Finish is the reason why a response ends.
type Finish int

const (
	// Finished means that the model has said everything.
	Finished Finish = iota
	// Stopped means that the text contained a stop sequence.
	Stopped
	// Full means that the response reached the token limit.
	Full
	// Calling means that the response calls tools.
	Calling
	// Blocked means that the content filter stopped the response.
	Blocked
)

// ModelResponse is the model's response before it is encoded in a vendor's format.
type ModelResponse struct {
	Thinking string
	Redacted bool
	Text     string
	Calls    []ToolCall
	Finish   Finish
	// Stop is the stop sequence that the text contained.
	Stop      string
	Responses int
	Usage     Usage
}

// Reply is the content of a response of Options.Model.
type Reply struct {
	Text  string
	Calls []ToolCall
}

// ToolCall is a tool call in a response. Args is a JSON object.
type ToolCall struct {
	Name, Args string
}

// ComposeResponse creates the response. Its content depends only on the prompt and the directives.
func (c *Call) ComposeResponse(p *Prompt) *ModelResponse {
	r := &ModelResponse{Responses: max(1, p.Responses)}
	if c.Directives.Has("block") {
		r.Finish = Blocked
		if c.Directives.Has("text") {
			r.Text = truncateTokens(echoPrompt(p), 2)
		}
		c.recordUsage(p, r)
		return r
	}
	if p.Think {
		r.Thinking = fmt.Sprintf("The last message has %d characters. I will say so.", utf8.RuneCountInString(p.LastText))
		r.Redacted = c.Directives.Has("redacted")
	}
	c.composeContent(p, r)
	r.stopAt(p.Stops)
	r.truncateTo(p.MaxOutput)
	c.recordUsage(p, r)
	return r
}

// composeContent sets the text and the tool calls.
func (c *Call) composeContent(p *Prompt, r *ModelResponse) {
	reply, ok := c.Server.askModel(p)
	if !ok {
		for _, t := range p.toolsToCall() {
			reply.Calls = append(reply.Calls, ToolCall{t.Name, sample(t.Schema)})
		}
		if len(reply.Calls) == 0 || c.Directives.Has("text") {
			reply.Text = c.composeText(p)
		}
	}
	r.Text, r.Calls = reply.Text, reply.Calls
	if len(r.Calls) > 0 {
		r.Finish = Calling
	}
}

func (s *Server) askModel(p *Prompt) (Reply, bool) {
	if s.options.Model == nil {
		return Reply{}, false
	}
	return s.options.Model(p)
}

func (c *Call) composeText(p *Prompt) string {
	switch {
	case c.Directives.Has("say"):
		return c.Directives["say"]
	case c.Directives.Has("words"):
		return strings.TrimSpace(strings.Repeat("word ", min(c.Directives.number("words"), 1<<20)))
	case p.Schema != nil:
		return sample(p.Schema)
	case p.WantsObject:
		return EncodeJSON(map[string]string{"answer": echoPrompt(p)})
	}
	return echoPrompt(p)
}

// echoPrompt repeats the user's text or the tool results, so that tests can check that these arrived.
func echoPrompt(p *Prompt) string {
	if len(p.Results) > 0 {
		return "The tools answered: " + strings.Join(p.Results, " and ")
	}
	said := "You said: " + removeDirectives(p.LastText)
	if p.MediaCount > 0 {
		said += fmt.Sprintf(" (with %d attachments)", p.MediaCount)
	}
	return said
}

// stopAt ends the text before a stop sequence.
func (r *ModelResponse) stopAt(stops []string) {
	for _, s := range stops {
		if before, _, found := strings.Cut(r.Text, s); found && s != "" {
			r.Text, r.Stop, r.Finish, r.Calls = before, s, Stopped, nil
		}
	}
}

// truncateTo ends the response at the token limit. Thinking counts too. All tool calls are dropped.
func (r *ModelResponse) truncateTo(most int64) {
	if most == 0 || r.outputTokens() <= most {
		return
	}
	r.Finish, r.Calls, r.Stop = Full, nil, ""
	r.Thinking = truncateTokens(r.Thinking, most)
	r.Text = truncateTokens(r.Text, most-Tokens(r.Thinking))
}

func (r *ModelResponse) outputTokens() int64 {
	n := Tokens(r.Thinking) + Tokens(r.Text)
	for _, c := range r.Calls {
		n += Tokens(c.Name + c.Args)
	}
	return n
}

func (c *Call) recordUsage(p *Prompt, r *ModelResponse) {
	r.Usage = c.Server.cache.splitUsage(c.Key+"\n"+c.Model, p)
	r.Usage.Output = max(1, r.outputTokens()) * int64(r.Responses)
	r.Usage.Reasoning = Tokens(r.Thinking) * int64(r.Responses)
	c.Usage, c.toolCalls = r.Usage, len(r.Calls)
}

// SplitForStream splits a text into the pieces of a stream. The directive "lump" leaves it whole.
func (c *Call) SplitForStream(text string) []string {
	if c.Directives.Has("lump") && text != "" {
		return []string{text}
	}
	return SplitText(text)
}

// pieceRunes is about the length of the text in one event of a vendor.
const pieceRunes = 16

// SplitText splits a text into pieces. It never splits a character.
func SplitText(text string) []string {
	var all []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(pieceRunes, len(runes))
		all = append(all, string(runes[:n]))
		runes = runes[n:]
	}
	return all
}
