package quality

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
func Topic(f map[string]int64) string {
	switch {
	case f["tools"] > 0:
		return Agentic
	case f["code"] >= 200 || f["fences"] > 0 || f["trace"] > 0 || programs(f):
		return Code
	case f["maths"] >= 160 || f["task_solve"]*f["maths"] > 0:
		return Maths
	case f["task_extract"]+f["task_classify"]+f["wants_json"]+f["wants_table"] > 0:
		return Data
	case f["task_translate"]+f["task_rewrite"]+f["task_summarise"] > 0 || f["language"] > 1:
		return Language
	case f["options"] > 2 || f["reasoning"] > 2 || f["wants_steps"] > 0:
		return Reasoning
	case demands(f) > 1:
		return Instructions
	}
	return General
}

// programs tells whether the words are about code.
func programs(f map[string]int64) bool {
	told := f["task_implement"] + f["task_write"] + f["task_fix"]
	return f["code_words"] > 1 || f["code_words"] > 0 && told > 0
}

// demands is how many things are asked of the form of an answer.
func demands(f map[string]int64) int64 {
	n := f["wants_list"] + f["wants_short"] + f["wants_long"]
	if f["wants_words"] > 0 {
		n++
	}
	return n
}
