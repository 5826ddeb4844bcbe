package predict

import "strings"

// withoutIndirection removes words that make a question an indirect one, such as "tell me"
// before "who wrote it". They change neither the question nor how hard it is.
func withoutIndirection(text string) string {
	for _, phrase := range indirections {
		if rest, ok := cutWords(text, phrase); ok {
			var buffer [16]byte
			word, _ := nextWord(rest)
			if questionWords[string(lowerInto(buffer[:0], word))] {
				return strings.TrimLeft(rest, ", ")
			}
		}
	}
	return text
}

// cutWords returns what follows the words at the beginning of a text.
func cutWords(text string, words []string) (rest string, ok bool) {
	rest = text
	for _, want := range words {
		var word string
		if word, rest = nextWord(rest); !strings.EqualFold(word, want) {
			return text, false
		}
	}
	return rest, true
}

// indirections holds the words before indirect questions.
var indirections = [][]string{
	{"tell", "me"},
	{"do", "you", "know"},
	{"i", "want", "to", "know"},
	{"i", "need", "to", "know"},
	{"i", "would", "like", "to", "know"},
	{"i", "d", "like", "to", "know"},
	{"i\u2019d", "like", "to", "know"},
	{"i", "wonder"},
	{"i", "am", "wondering"},
	{"i", "m", "wondering"},
	{"i", "was", "wondering"},
}

var questionWords = wordsOf("what which who whom whose when where why how")
