package explain

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/decide"
)

// findReasons returns the kind of the request and the strongest further reasons.
func findReasons(f decide.NamedValues) []Reason {
	kind := findKind(f)
	further := slices.DeleteFunc(findFurther(f), func(r finding) bool { return r.text == "" || kind.covers(&r) })
	slices.SortStableFunc(further, func(a, b finding) int { return cmp.Compare(abs(b.points), abs(a.points)) })
	if kind.text != "" {
		further = append([]finding{kind}, further...)
	}
	reasons := []Reason{}
	for _, r := range further[:min(len(further), maxReasons)] {
		reasons = append(reasons, Reason{r.text, effectOf(r.points)})
	}
	return reasons
}

// covers reports whether the kind already says what another finding says.
func (r *finding) covers(other *finding) bool {
	return slices.ContainsFunc(other.features, func(name string) bool { return slices.Contains(r.features, name) })
}

// neutralPoints is the strength up to which a reason counts as neutral.
const neutralPoints = 20

func effectOf(points int64) Effect {
	switch {
	case points > neutralPoints:
		return Harder
	case points < -neutralPoints:
		return Easier
	}
	return Neutral
}

// findFurther returns everything else about the request that makes it harder or easier. An
// empty text means that the finding does not apply.
func findFurther(f decide.NamedValues) []finding {
	all := append(findSize(f), findTask(f)...)
	all = append(all, findForm(f)...)
	all = append(all, findSubject(f)...)
	return append(all, findEase(f))
}

// findSize describes how much text there is.
func findSize(f decide.NamedValues) []finding {
	var all []finding
	switch f.GetOrZero("length") {
	case 1:
		all = append(all, found("very short text", -150, "length"))
	case 4:
		all = append(all, found("long text", 100, "length"))
	case 5:
		all = append(all, found("very long text", 180, "length"))
	}
	if n := f.GetOrZero("text_bytes"); n >= 8000 {
		all = append(all, found("much context: "+formatCount(n)+" bytes", pick(n >= 40_000, 160, 80), "text_bytes"))
	}
	if n := f.GetOrZero("turns"); n > 1 {
		all = append(all, found("conversation with "+count(n, "user message"), min(15*n, 150), "turns"))
	}
	if n := f.GetOrZero("tools"); n > 0 {
		all = append(all, found("offers "+count(n, "tool"), 150, "tools"))
	}
	if n := f.GetOrZero("images"); n > 0 {
		all = append(all, found(count(n, "image"), 100, "images"))
	}
	return all
}

// findTask describes what the request asks the model to do.
func findTask(f decide.NamedValues) []finding {
	return []finding{
		flag(f, "task_solve", "asks to solve a problem", 120),
		flag(f, "task_implement", "asks to implement something", 100),
		flag(f, "task_fix", "asks to fix something", 80),
		flag(f, "task_plan", "asks for a plan", 60),
		flag(f, "task_compare", "asks for a comparison", 40),
		flag(f, "task_translate", "asks for a translation", -100),
		flag(f, "task_summarise", "asks for a summary", -100),
		flag(f, "task_rewrite", "asks for another wording", -100),
		flag(f, "task_classify", "asks to classify", -80),
		flag(f, "task_extract", "asks to extract data", -80),
	}
}

// findForm describes what the response should look like.
func findForm(f decide.NamedValues) []finding {
	all := []finding{
		flag(f, "wants_steps", "asks for steps", 60),
		flag(f, "wants_long", "asks for a long response", 50),
		flag(f, "wants_json", "asks for JSON", 30),
		flag(f, "wants_table", "asks for a table", 30),
	}
	// Without a request to write something, a number of pages is part of the story.
	if n := f.GetOrZero("wants_words"); n >= 300 && f.GetOrZero("task_write")+f.GetOrZero("task_summarise") > 0 {
		all = append(all, found("asks for about "+formatCount(n)+" words", 50, "wants_words", "wants_long"))
	}
	return all
}

// findSubject describes what the text is about.
func findSubject(f decide.NamedValues) []finding {
	maths := f.GetOrZero("maths")
	all := []finding{
		when(maths >= 100, "some mathematics", min(maths*35/100, 350), "maths"),
		when(f.GetOrZero("latex") > 0, "formulas", 0, "latex"),
		when(f.GetOrZero("code") >= 100, "some code", min(f.GetOrZero("code")*15/100, 150), "code"),
		when(f.GetOrZero("code_words") > 0, "about programming", min(20*f.GetOrZero("code_words"), 100), "code_words"),
		when(f.GetOrZero("trace") > 0, "a stack trace", 80, "trace"),
		when(f.GetOrZero("reasoning") > 1, "calls for reasoning", min(25*f.GetOrZero("reasoning"), 150), "reasoning"),
		when(f.GetOrZero("numbers") > 3, "many numbers", 40, "numbers"),
		when(f.GetOrZero("negations") > 1, "negations", 20, "negations"),
		when(f.GetOrZero("legal") > 1, "legal subject", 80, "legal"),
		when(f.GetOrZero("medical") > 1, "medical subject", 0, "medical"),
		when(f.GetOrZero("finance") > 1, "financial subject", 0, "finance"),
	}
	if n := f.GetOrZero("language"); n > 1 && f.GetOrZero("language_confidence") > unsureLanguage {
		all = append(all, found("in "+orElse(nameOf(languages[:], n), "another language"), 50, "language"))
	}
	return all
}

// unsureLanguage is the lead of a language up to which it is not mentioned. A short English
// text with the word a twice has such a lead for Portuguese.
const unsureLanguage = 500

func flag(f decide.NamedValues, name, text string, points int64) finding {
	return when(f.GetOrZero(name) > 0, text, points, name)
}

func when(applies bool, text string, points int64, features ...string) finding {
	if !applies {
		return finding{}
	}
	return found(text, points, features...)
}

func pick(first bool, a, b int64) int64 {
	if first {
		return a
	}
	return b
}

func abs(n int64) int64 { return max(n, -n) }
