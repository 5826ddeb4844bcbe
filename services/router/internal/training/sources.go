package training

import (
	"cmp"
	"maps"
	"slices"
)

// source is a collection and the folders that it is learned from. The licences of these
// folders allow it: Apache-2.0 and MIT.
type source struct {
	// number identifies the collection for ever, in the records of decisions.
	number int64
	name   string
	parts  []part
	// rows is the number of word rows. Small collections have few words.
	rows int
	// strict says that a response counts only if it contains the words of a reference, or that
	// the prompts lack the options that the responses had to choose from.
	strict bool
}

// part is a folder, or the prompts of some categories of it. It is a panel: its outcomes are
// comparable with each other.
type part struct {
	folder     string
	categories []string
}

// mixed is a folder whose categories belong to different collections.
const mixed = "ulab_llmrouter"

func sources() []source {
	return []source{
		{1, "general knowledge questions", []part{{"routellm_mmlu", nil}}, 1 << 15, false},
		{2, "university-level questions", []part{{"mmlu_pro", nil}}, 1 << 15, false},
		{3, "grade-school mathematics", []part{{"routellm_gsm8k", nil}, {"zeroeval_gsm", nil}, {mixed, []string{"gsm8k", "agentverse-mgsm"}}}, 1 << 13, false},
		{4, "competition mathematics", []part{{"zeroeval_math_l5", nil}, {mixed, []string{"math"}}}, 1 << 13, false},
		{5, "multiple-choice questions", []part{{mixed, []string{"mmlu", "arc_challenge", "openbook_qa", "commonsense_qa"}}}, 1 << 14, true},
		{6, "short factual questions", []part{{mixed, []string{"trivia_qa", "natural_qa"}}}, 1 << 14, true},
		{7, "programming exercises", []part{{mixed, []string{"mbpp"}}}, 1 << 13, false},
		{8, "sentences from given words", []part{{mixed, []string{"commongen"}}}, 1 << 13, true},
	}
}

// sample is a text and the outcomes of models on it.
type sample struct {
	text     string
	rows     []uint16
	style    []int32
	outcomes map[arm]float64
	// staticGap is the gap that the hand-made difficulty suggests. Variants have none.
	staticGap float64
	// variants are edited texts with the same outcomes.
	variants []sample
}

// arm is a model in a panel.
type arm struct {
	panel int
	model string
}

func compareArms(a, b arm) int {
	return cmp.Or(cmp.Compare(a.panel, b.panel), cmp.Compare(a.model, b.model))
}

// sortedArms returns the arms of a map, by panel and name.
func sortedArms(rates map[arm]float64) []arm {
	return slices.SortedFunc(maps.Keys(rates), compareArms)
}
