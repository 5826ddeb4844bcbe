package quality

import "github.com/signalbox/signalbox/pkg/decide"

// The topics, as the catalog names them.
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

func topics() [8]string {
	return [...]string{General, Code, Agentic, Maths, Reasoning, Data, Language, Instructions}
}

// Topic is what a request is about, by the first of these that holds; general
// where nothing was read of it.
func Topic(f decide.Numbers) string {
	switch {
	case f.Of("tools") > 0:
		return Agentic
	case f.Of("code") >= 200 || f.Of("fences") > 0 || f.Of("trace") > 0 || programs(f):
		return Code
	case f.Of("maths") >= 160 || f.Of("task_solve")*f.Of("maths") > 0:
		return Maths
	case f.Of("task_extract")+f.Of("task_classify")+f.Of("wants_json")+f.Of("wants_table") > 0:
		return Data
	case f.Of("task_translate")+f.Of("task_rewrite")+f.Of("task_summarise") > 0 || f.Of("language") > 1:
		return Language
	case f.Of("options") > 2 || f.Of("reasoning") > 2 || f.Of("wants_steps") > 0:
		return Reasoning
	case demands(f) > 1:
		return Instructions
	}
	return General
}

// programs tells whether the words are about code.
func programs(f decide.Numbers) bool {
	told := f.Of("task_implement") + f.Of("task_write") + f.Of("task_fix")
	return f.Of("code_words") > 1 || f.Of("code_words") > 0 && told > 0
}

// demands is how many things are asked of the form of an answer.
func demands(f decide.Numbers) int64 {
	n := f.Of("wants_list") + f.Of("wants_short") + f.Of("wants_long")
	if f.Of("wants_words") > 0 {
		n++
	}
	return n
}
