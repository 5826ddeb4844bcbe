package explain

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Signal is one or several features with a name and a value for a human reader, such as
// Language and English.
type Signal struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Features are the names that a policy uses for them.
	Features []string `json:"features"`
}

// style is how the value of a feature is written.
type style int

const (
	asCount style = iota
	asBytes
	asTokens
	asShare
	asScore
	asYes
	asLanguage
	asProgrammingLanguage
	asLength
	// hidden features are parts of another signal, or of the guard.
	hidden
)

// signalNames lists the features with their names, in the order of the page. A feature that
// is not listed is shown with its own name. Features of a group are written as one signal.
var signalNames = [...]struct {
	feature, name string
	style         style
}{
	{"language", "Language", asLanguage},
	{"non_latin", "Letters that are not Latin", asShare},
	{"words", "Words", asCount}, {"lines", "Lines", asCount}, {"length", "Length", asLength},
	{"code", "Code", asShare}, {"code_language", "Programming language", asProgrammingLanguage},
	{"fences", "Code blocks", asCount}, {"inline_code", "Inline code", asCount}, {"code_words", "Words of programming", asCount},
	{"trace", "Stack trace", asYes},
	{"maths", "Mathematics", asScore}, {"latex", "LaTeX commands", asCount}, {"operators", "Operators", asCount},
	{"numbers", "Numbers", asCount}, {"digits", "Digits", asShare},
	{"questions", "Questions", asCount}, {"options", "Options to choose from", asCount}, {"list_items", "List items", asCount},
	{"greeting", "Only a greeting", asYes}, {"polite", "Polite words", asCount}, {"negations", "Negations", asCount},
	{"urls", "Web addresses", asCount},
	{"legal", "Legal words", asCount}, {"medical", "Medical words", asCount}, {"finance", "Words of finance", asCount},
	{"reasoning", "Words of reasoning", asCount},
	{"messages", "Messages", asCount}, {"turns", "Messages of the user", asCount},
	{"text_bytes", "Text", asBytes}, {"user_bytes", "Text of the user", asBytes},
	{"tools", "Tools offered", asCount}, {"images", "Images", asCount}, {"inputs", "Inputs", asCount},
	{"max_output", "Output limit", asTokens}, {"choices", "Responses wanted", asCount}, {"stream", "Streaming", asYes},
	{"lexical", "", hidden}, {"language_confidence", "", hidden},
	{featureResemblance, "", hidden}, {featureCollection, "", hidden}, {featureEase, "", hidden}, {featureError, "", hidden},
}

// signalGroups lists the features that are written as one signal. The rest of a feature's name
// is its word.
var signalGroups = [...]struct{ prefix, name string }{
	{"task_", "Task"}, {"asks_", "Asks"}, {"wants_", "Wants"},
}

// describeSignals returns the signals that are not 0.
func describeSignals(f decide.NamedValues) []Signal {
	all := []Signal{}
	known := map[string]bool{}
	for _, g := range signalGroups {
		if s := describeGroup(f, g.prefix, g.name, known); len(s.Features) > 0 {
			all = append(all, s)
		}
	}
	for _, n := range signalNames {
		known[n.feature] = true
		if v := f.GetOrZero(n.feature); v != 0 && n.style != hidden {
			all = append(all, Signal{n.name, formatValue(n.style, v), []string{n.feature}})
		}
	}
	for _, v := range f {
		if v.Value != 0 && !known[v.Name] {
			all = append(all, Signal{strings.ReplaceAll(v.Name, "_", " "), formatCount(v.Value), []string{v.Name}})
		}
	}
	return all
}

func describeGroup(f decide.NamedValues, prefix, name string, known map[string]bool) Signal {
	s := Signal{Name: name}
	var words []string
	for _, v := range f {
		word, ok := strings.CutPrefix(v.Name, prefix)
		if !ok {
			continue
		}
		known[v.Name] = true
		if v.Value != 0 {
			s.Features, words = append(s.Features, v.Name), append(words, formatWord(v.Name, word, v.Value))
		}
	}
	s.Text = strings.Join(words, ", ")
	return s
}

// formatWord returns the word of a feature in its group.
func formatWord(feature, word string, value int64) string {
	switch feature {
	case "wants_words":
		return "about " + count(value, "word")
	case "wants_json":
		return "JSON"
	case "asks_yes_no":
		return "yes or no"
	}
	return word
}

func formatValue(s style, v int64) string {
	switch s {
	case asBytes:
		return formatCount(v) + " bytes"
	case asTokens:
		return count(v, "token")
	case asShare:
		return formatShare(v)
	case asScore:
		return formatCount(v) + " of 1,000"
	case asYes:
		return "yes"
	case asLanguage:
		return orElse(nameOf(languages[:], v), formatCount(v))
	case asProgrammingLanguage:
		return orElse(nameOf(programmingLanguages[:], v), formatCount(v))
	case asLength:
		return orElse(nameOf(lengths[:], v), formatCount(v))
	}
	return formatCount(v)
}
