package gemini

import "github.com/go-json-experiment/json/jsontext"

// speaker is whose turn it is. Google has two roles; results of tools are the
// user's, but stay by themselves.
type speaker string

const (
	user    speaker = "user"
	model   speaker = "model"
	results speaker = "results"
)

// conversation is systemInstruction and contents in the making.
type conversation struct {
	system, contents out
	// turn is whose parts are being written, if any.
	turn speaker
	// unanswered counts the calls of a round that have no result yet, and
	// waiting are the user's words that came before the last of them.
	unanswered int
	waiting    out
	// names are the functions' names, by the ids of their calls.
	names map[string]jsontext.Value
}

// part is where the speaker's next part is written. Turns of the same speaker
// become one. Nothing comes between a round of calls and all its results.
func (d *draft) part(s speaker) *out {
	switch {
	case s == user && d.unanswered > 0:
		return &d.waiting
	case s != results:
		d.speak()
	}
	o := &d.contents
	if d.turn == s {
		return o
	}
	if d.turn != "" {
		o.b = append(o.b, "]}"...)
	}
	d.turn = s
	if s == model {
		d.unanswered = 0
	}
	role := s
	if s == results {
		role = user
	}
	o.open('{')
	o.key("role").quote([]byte(role))
	o.key("parts").open('[')
	return o
}

// speak writes the words that have waited for results, or waited in vain.
func (d *draft) speak() {
	if d.waiting.empty() {
		return
	}
	words := d.waiting.b
	d.waiting, d.unanswered = out{}, 0
	d.part(user).raw(words)
}
