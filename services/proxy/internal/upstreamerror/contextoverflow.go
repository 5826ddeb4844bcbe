package upstreamerror

import (
	"strconv"
	"strings"
)

// contextOverflowPhrases are phrases, in lower case, that upstreams use if a request
// exceeds the model's context.
var contextOverflowPhrases = []string{
	"context_length_exceeded", "maximum context length", "context window", "context length",
	"prompt is too long", "prompt: length", "exceed context limit", "exceeds the available context size",
	"input is too long", "too many input tokens", "too many tokens", "exceeds the maximum number of tokens allowed",
	"input tokens exceed the configured limit", "tokens + `max_new_tokens` must be", "length limit exceeded",
	"maximum input length is", "maximum prompt length is", "maximum model length", "exceeded model token limit",
}

// isContextOverflow reports whether the request exceeds the model's context. It
// returns false if only a single string or a user name is too long.
func (f *reportedError) isContextOverflow() bool {
	if f.hasName("string_above_max_length") || f.hasPhrase("string_above_max_length", "invalid 'user'") {
		return false
	}
	if f.hasName("context_length", "exceed_context_size") || f.hasPhrase(contextOverflowPhrases...) {
		return true
	}
	return f.hasPhrase("current length is") && f.hasPhrase("while limit is") ||
		f.hasPhrase("input length") && f.hasPhrase("exceeds")
}

// minContextTokens is below the context of any model. A smaller number in an error
// text is not a context size.
const minContextTokens = 128

// parseContextSize finds the context limit and the requested tokens in the error's
// text.
func (f *reportedError) parseContextSize() {
	if f.limit > 0 || !f.isContextOverflow() {
		return
	}
	found := findIntegers(f.message + " " + f.extraText)
	switch {
	case len(found) >= 3 && found[1].wordBefore == "+" && found[2].wordBefore == ">":
		f.requested, f.limit = found[0].n+found[1].n, found[2].n
	case len(found) >= 3 && found[0].wordBefore == "<=":
		f.requested, f.limit = found[1].n+found[2].n, found[0].n
	case len(found) >= 3 && found[0].wordBefore == "large:" && found[2].wordBefore == "has":
		f.requested, f.limit = found[0].n+found[2].n, found[1].n
	case len(found) >= 2:
		f.requested, f.limit = max(found[0].n, found[1].n), min(found[0].n, found[1].n)
	}
	if f.limit < minContextTokens {
		f.limit, f.requested = 0, 0
	}
}

// numberInText is an integer in a text, and the word before it.
type numberInText struct {
	n          int64
	wordBefore string
}

// findIntegers returns the positive integers in a text that are separate words.
func findIntegers(text string) []numberInText {
	var all []numberInText
	before := ""
	for word := range strings.FieldsSeq(text) {
		bare := strings.Trim(word, "(){}.,:;[]`'\"")
		n, err := strconv.ParseInt(strings.ReplaceAll(bare, ",", ""), 10, 64)
		if err == nil && n > 0 {
			all = append(all, numberInText{n, before})
		}
		before = word
	}
	return all
}
