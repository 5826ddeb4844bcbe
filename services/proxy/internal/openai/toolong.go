package openai

import (
	"strconv"
	"strings"
)

// tooLong are the phrases, in lower case, by which upstreams say that a request
// is longer than the model's context.
var tooLong = []string{
	"context_length_exceeded", "maximum context length", "context window", "context length",
	"prompt is too long", "prompt: length", "exceed context limit", "exceeds the available context size",
	"input is too long", "too many input tokens", "too many tokens", "exceeds the maximum number of tokens allowed",
	"input tokens exceed the configured limit", "tokens + `max_new_tokens` must be", "length limit exceeded",
	"maximum input length is", "maximum prompt length is", "maximum model length", "exceeded model token limit",
}

// overflows tells whether the model's context is too small for the request. A
// string that is too long, or a user's name, is another thing.
func (f *fault) overflows() bool {
	if f.has("string_above_max_length") || f.says("string_above_max_length", "invalid 'user'") {
		return false
	}
	if f.has("context_length", "exceed_context_size") || f.says(tooLong...) {
		return true
	}
	return f.says("current length is") && f.says("while limit is") ||
		f.says("input length") && f.says("exceeds")
}

// leastContext is smaller than any model's: a number below it is another one.
const leastContext = 128

// measure finds out how much was too much, where the upstream says it.
func (f *fault) measure() {
	if f.limit > 0 || !f.overflows() {
		return
	}
	found := integers(f.message + " " + f.more)
	switch {
	case len(found) >= 3 && found[1].after == "+" && found[2].after == ">":
		f.requested, f.limit = found[0].n+found[1].n, found[2].n
	case len(found) >= 3 && found[0].after == "<=":
		f.requested, f.limit = found[1].n+found[2].n, found[0].n
	case len(found) >= 3 && found[0].after == "large:" && found[2].after == "has":
		f.requested, f.limit = found[0].n+found[2].n, found[1].n
	case len(found) >= 2:
		f.requested, f.limit = max(found[0].n, found[1].n), min(found[0].n, found[1].n)
	}
	if f.limit < leastContext {
		f.limit, f.requested = 0, 0
	}
}

// found is a whole number in a text, and the word before it.
type found struct {
	n     int64
	after string
}

// integers are the whole numbers that stand alone in a text.
func integers(text string) []found {
	var all []found
	before := ""
	for word := range strings.FieldsSeq(text) {
		bare := strings.Trim(word, "(){}.,:;[]`'\"")
		n, err := strconv.ParseInt(strings.ReplaceAll(bare, ",", ""), 10, 64)
		if err == nil && n > 0 {
			all = append(all, found{n, before})
		}
		before = word
	}
	return all
}
