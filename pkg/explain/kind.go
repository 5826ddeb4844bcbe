package explain

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/topic"
)

// finding is a reason with its strength and the features that it is based on.
type finding struct {
	text string
	// points is how much harder the request is, in the unit of the router's difficulty. It
	// is negative if the request is easier.
	points   int64
	features []string
}

func found(text string, points int64, features ...string) finding {
	return finding{text, points, features}
}

// findKind returns what kind of request it is. The text is empty if nothing is known.
func findKind(f decide.NamedValues) finding {
	switch {
	case f.GetOrZero("greeting") > 0 && isAlone(f):
		return found("greeting or thanks", -700, "greeting", "length")
	case f.GetOrZero("tools") == 0 && f.GetOrZero("lexical") == 0:
		return finding{}
	}
	if c, ok := collectionOf(f); ok && c.isKindOf(f) {
		return found(c.kind, c.points, c.features...)
	}
	switch topic.Of(f) {
	case topic.Agentic:
		return found("agent with "+count(f.GetOrZero("tools"), "tool"), 150, "tools")
	case topic.Code:
		return findCodeKind(f)
	case topic.Maths:
		return findMathsKind(f)
	case topic.Data:
		return findDataKind(f)
	case topic.Language:
		return findLanguageKind(f)
	case topic.Reasoning:
		return findReasoningKind(f)
	case topic.Instructions:
		return findFormKind(f)
	}
	return findGeneralKind(f)
}

// isAlone reports whether the request is one message without tools.
func isAlone(f decide.NamedValues) bool {
	return f.GetOrZero("turns") <= 1 && f.GetOrZero("tools") == 0
}

// findCodeKind returns a kind such as "long Python code with a stack trace".
func findCodeKind(f decide.NamedValues) finding {
	if f.GetOrZero("code") < 100 && f.GetOrZero("fences") == 0 && f.GetOrZero("trace") == 0 {
		if f.GetOrZero("task_implement")+f.GetOrZero("task_write") > 0 {
			return found("programming task", 120, "code_words", "task_implement", "task_write", "maths")
		}
		return found("question about programming", 60, "code_words", "maths", "asks_how", "asks_what", "questions")
	}
	words := []string{"code"}
	if name := nameOf(programmingLanguages[:], f.GetOrZero("code_language")); name != "" {
		words = []string{name, "code"}
	}
	points := int64(120)
	if f.GetOrZero("length") >= longText {
		words, points = append([]string{"long"}, words...), 250
	}
	if f.GetOrZero("trace") > 0 {
		words, points = append(words, "with a stack trace"), points+80
	}
	return found(strings.Join(words, " "), points, "code", "code_words", "trace", "length", "fences", "maths", "numbers", "task_extract")
}

// longText is the class of the feature length from which on a text is called long: above
// 1,000 bytes.
const longText = 4

func findMathsKind(f decide.NamedValues) finding {
	points := min(f.GetOrZero("maths")*35/100, 350)
	if easeOf(f) >= sayEaseFrom {
		points = 0 // findEase says how easy it is
	}
	switch {
	case f.GetOrZero("numbers") >= 4 || f.GetOrZero("reasoning") > 1 || f.GetOrZero("wants_steps") > 0 || f.GetOrZero("words") >= 40:
		return found("multi-step mathematics", points+100, mathsFeatures...)
	case f.GetOrZero("length") <= shortText && f.GetOrZero("numbers") < 2:
		return found("short question about mathematics", points, append([]string{"length"}, mathsFeatures...)...)
	case f.GetOrZero("length") <= shortText:
		return found("short calculation", points, append([]string{"length"}, mathsFeatures...)...)
	}
	return found("mathematics", points, mathsFeatures...)
}

// mathsFeatures are the features that say no more than that a request is about mathematics.
// Find is a word of extraction, but in mathematics it asks to solve.
var mathsFeatures = []string{"maths", "numbers", "task_solve", "task_extract", "wants_steps", "wants_words", "questions", "asks_how", "asks_what"}

// shortText is the class of the feature length up to which a text is called short: at most
// 200 bytes.
const shortText = 2

func findDataKind(f decide.NamedValues) finding {
	switch {
	case f.GetOrZero("task_extract") > 0:
		return found("data extraction", -80, "task_extract", "wants_json", "wants_table")
	case f.GetOrZero("task_classify") > 0:
		return found("classification", -80, "task_classify", "wants_json", "wants_table")
	case f.GetOrZero("wants_json") > 0:
		return found("structured response as JSON", 30, "wants_json")
	}
	return found("response as a table", 30, "wants_table")
}

func findLanguageKind(f decide.NamedValues) finding {
	switch {
	case f.GetOrZero("task_translate") > 0:
		return found("translation", -100, "task_translate")
	case f.GetOrZero("task_summarise") > 0 && f.GetOrZero("length") >= longText:
		return found("summary of a long text", -20, "task_summarise", "length")
	case f.GetOrZero("task_summarise") > 0:
		return found("summary", -100, "task_summarise")
	case f.GetOrZero("task_rewrite") > 0:
		return found("rewriting a text", -100, "task_rewrite", "wants_long")
	}
	if f.GetOrZero("language_confidence") <= unsureLanguage {
		return findGeneralKind(f)
	}
	return found("text in "+orElse(nameOf(languages[:], f.GetOrZero("language")), "another language"), 50, "language", "non_latin")
}

func findReasoningKind(f decide.NamedValues) finding {
	switch n := f.GetOrZero("options"); {
	case n > 2:
		return found("multiple choice with "+count(n, "option"), 0, "options")
	case f.GetOrZero("task_plan") > 0:
		return found("planning in several steps", 150, "reasoning", "wants_steps", "task_plan")
	case f.GetOrZero("reasoning") <= 2:
		return found("instructions in steps", 60, "wants_steps")
	}
	return found("reasoning in several steps", 150, "reasoning", "wants_steps")
}

// findFormKind returns the kind of a request that says what the response should look like.
func findFormKind(f decide.NamedValues) finding {
	if n := f.GetOrZero("wants_words"); n >= 300 && f.GetOrZero("task_write") > 0 {
		return found("text of about "+formatCount(n)+" words", 100, "wants_words", "wants_long", "task_write")
	}
	return found("response in a given form", 30, "wants_list", "wants_short", "wants_long", "wants_words")
}

func findGeneralKind(f decide.NamedValues) finding {
	short, asked := f.GetOrZero("length") <= shortText, f.GetOrZero("questions") > 0
	switch {
	case f.GetOrZero("task_plan") > 0:
		return found("planning or suggestions", 60, "task_plan")
	case f.GetOrZero("task_compare") > 0:
		return found("comparison", 40, "task_compare")
	case f.GetOrZero("task_write") > 0 && f.GetOrZero("wants_short") > 0:
		return found("short text to write", -100, "task_write", "wants_short", "length")
	case f.GetOrZero("task_write") > 0:
		return found("writing task", 0, "task_write")
	case f.GetOrZero("code_words") > 0:
		return found("question about programming", 20, "code_words")
	case f.GetOrZero("asks_why") > 0:
		return found("question about a cause", 0, "asks_why")
	case f.GetOrZero("task_explain") > 0 && f.GetOrZero("length") >= shortText:
		return found("explanation", 0, "task_explain")
	case short && f.GetOrZero("asks_what") > 0:
		return found("short factual question", -150, "length", "questions", "asks_what")
	case short && asked:
		return found("short question", -150, "length", "questions", "asks_how", "asks_yes_no")
	case f.GetOrZero("asks_how") > 0:
		return found("how-to question", 0, "asks_how")
	case asked:
		return found("question in plain language", 0, "questions")
	case short:
		return found("short request in plain language", -150, "length")
	}
	return found("request in plain language", 0)
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
