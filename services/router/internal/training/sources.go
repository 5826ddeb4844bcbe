package training

// source is a collection and the folders that it is learned from. The licences of these
// folders allow it: Apache-2.0 and MIT.
type source struct {
	name  string
	parts []part
	// rows is the number of word rows. Small collections have few words.
	rows int
	// strict says that a response counts only if it contains the words of a reference.
	strict bool
}

// part is a folder, or the prompts of some categories of it.
type part struct {
	folder     string
	categories []string
}

// mixed is a folder whose categories belong to different collections.
const mixed = "ulab_llmrouter"

func sources() []source {
	return []source{
		{"general knowledge questions", []part{{"routellm_mmlu", nil}}, 1 << 15, false},
		{"university-level questions", []part{{"mmlu_pro", nil}}, 1 << 15, false},
		{"grade-school mathematics", []part{{"routellm_gsm8k", nil}, {"zeroeval_gsm", nil}, {mixed, []string{"gsm8k", "agentverse-mgsm"}}}, 1 << 13, false},
		{"competition mathematics", []part{{"zeroeval_math_l5", nil}, {mixed, []string{"math"}}}, 1 << 13, false},
		{"multiple-choice questions", []part{{mixed, []string{"mmlu", "arc_challenge", "openbook_qa", "commonsense_qa"}}}, 1 << 14, false},
		{"short factual questions", []part{{mixed, []string{"trivia_qa", "natural_qa"}}}, 1 << 14, true},
		{"programming exercises", []part{{mixed, []string{"mbpp"}}}, 1 << 13, false},
		{"sentences from given words", []part{{mixed, []string{"commongen"}}}, 1 << 13, true},
	}
}

// sample is a text and the outcomes of models on it.
type sample struct {
	text     string
	rows     []uint16
	style    []int32
	outcomes map[string]float64
	// variants are edited texts with the same outcomes.
	variants []sample
}
