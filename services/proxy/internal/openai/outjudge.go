package openai

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// judge tells whether a member stays, and notes if it does not though it says
// something.
func (e *editor) judge(p *part, name []byte) (stays bool, err error) {
	w, v := e.wire, e.req.value(p)
	switch {
	case has(w.Drop, name):
		if !isDefault(name, v) && !ours(name) {
			e.drop(string(name))
		}
		return false, nil
	case has(w.Refuse, name):
		if !isDefault(name, v) {
			return false, unsupported(string(name))
		}
		return false, nil
	case !e.takes(name, v):
		return false, unsupportedWord(string(name), w.Only[string(name)])
	case has(w.DropDefault, name) && isDefault(name, v), e.req.edits.leavesOut(p):
		return false, nil
	}
	if to, ok := w.Rename[string(name)]; ok && e.req.find(to) != nil {
		return false, nil
	}
	if words := w.Values[string(name)]; words != nil && isText(v) {
		if to, ok := words[text(v)]; ok && to == "" {
			e.drop(string(name))
			return false, nil
		}
	}
	return string(name) != "reasoning_effort" || e.reasons(p), nil
}

// takes tells whether the word is one of those that the upstream is asked for.
func (e *editor) takes(name []byte, v jsontext.Value) bool {
	words, limited := e.wire.Only[string(name)]
	return !limited || !isText(v) || slices.Contains(words, text(v))
}

// ours tells whether the client gets what it asked for in a field whatever the
// upstream gets: usage in a stream, and how vectors are written.
func ours(name []byte) bool {
	return string(name) == "stream_options" || string(name) == "encoding_format"
}

func unsupported(name string) *apperr.Error {
	return apperr.New(apperr.UnsupportedParameter, "the provider cannot do "+name+" with this model").With("param", name)
}

func unsupportedWord(name string, words []string) *apperr.Error {
	return apperr.New(apperr.UnsupportedParameter, name+" must be one of "+strings.Join(words, ", ")+" with this model here").With("param", name)
}
