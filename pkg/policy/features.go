package policy

import (
	"slices"
	"strings"
)

// FeatureNames returns the names that a condition can use as feature.NAME. The proxy
// counts the structural features in the request body. The router derives the lexical
// features from the text of the request.
func FeatureNames() []string { return append(structuralNames(), lexicalNames()...) }

// structuralNames returns the features that every process can compute from the parsed
// request.
func structuralNames() []string {
	return []string{"messages", "turns", "text_bytes", "user_bytes", "tools", "images", "max_output", "choices", "stream", "inputs"}
}

// lexicalNames returns the features that only the router computes.
func lexicalNames() []string {
	return strings.Fields(`
		lexical language language_confidence non_latin words lines length
		code code_language fences inline_code code_words trace
		maths latex operators numbers digits
		questions asks_what asks_why asks_how asks_yes_no
		task_write task_summarise task_translate task_explain task_fix task_classify
		task_extract task_compare task_implement task_solve task_rewrite task_plan
		wants_json wants_table wants_list wants_short wants_long wants_steps wants_words
		options list_items greeting polite negations urls
		legal medical finance reasoning`)
}

func isStructural(name string) bool { return slices.Contains(structuralNames(), name) }
