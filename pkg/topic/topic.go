// Package topic says what kind of task a request is, from its features. The router predicts
// the quality of models by topic, and the dashboard sums up evidence of quality by the same
// topics.
package topic

import "github.com/signalbox/signalbox/pkg/decide"

// The topics, with their names in the catalog.
const (
	General      = "general"
	Code         = "code"
	Agentic      = "agentic"
	Maths        = "math"
	Reasoning    = "reasoning"
	Data         = "data"
	Language     = "language"
	Instructions = "instructions"
)

// All returns the topics.
func All() [8]string {
	return [...]string{General, Code, Agentic, Maths, Reasoning, Data, Language, Instructions}
}

// Of returns the topic of a request from its features. If several topics match, the
// first case decides.
func Of(f decide.NamedValues) string {
	switch {
	case f.GetOrZero("tools") > 0:
		return Agentic
	case f.GetOrZero("code") >= 200 || f.GetOrZero("fences") > 0 || f.GetOrZero("trace") > 0 || isAboutCode(f):
		return Code
	case wantsData(f) && f.GetOrZero("latex")+f.GetOrZero("task_solve") == 0:
		return Data
	case f.GetOrZero("maths") >= 160 || f.GetOrZero("task_solve")*f.GetOrZero("maths") > 0:
		return Maths
	case wantsData(f) || f.GetOrZero("task_extract") > 0:
		return Data
	case f.GetOrZero("task_translate")+f.GetOrZero("task_rewrite")+f.GetOrZero("task_summarise") > 0 || f.GetOrZero("language") > 1:
		return Language
	case f.GetOrZero("options") > 2 || f.GetOrZero("reasoning") > 2 || f.GetOrZero("wants_steps") > 0:
		return Reasoning
	case countFormatDemands(f) > 1:
		return Instructions
	}
	return General
}

// wantsData reports whether the prompt asks for a class, JSON or a table. An invoice has many
// numbers and words such as total, but to return them as JSON is no mathematics.
func wantsData(f decide.NamedValues) bool {
	return f.GetOrZero("task_classify")+f.GetOrZero("wants_json")+f.GetOrZero("wants_table") > 0
}

func isAboutCode(f decide.NamedValues) bool {
	tasks := f.GetOrZero("task_implement") + f.GetOrZero("task_write") + f.GetOrZero("task_fix")
	return f.GetOrZero("code_words") > 1 || f.GetOrZero("code_words") > 0 && tasks > 0
}

// countFormatDemands counts the requirements that the prompt has for the form of the
// response.
func countFormatDemands(f decide.NamedValues) int64 {
	n := f.GetOrZero("wants_list") + f.GetOrZero("wants_short") + f.GetOrZero("wants_long")
	if f.GetOrZero("wants_words") > 0 {
		n++
	}
	return n
}
