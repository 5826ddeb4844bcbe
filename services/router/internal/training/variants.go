package training

import "math/rand/v2"

// vary returns an edited text with the same meaning: with a polite word, with typos, or with
// an introduction. Learning from both makes decisions robust against such edits. The
// phrases are others than those that PrintRobustness uses.
func vary(text string, i int) string {
	before := []string{"Hi! ", "Please answer: ", "I need some help with a question. ", "Hello, can you solve this for me?\n\n", "Here is my question:\n"}
	after := []string{"\n\nThanks!", " Thank you in advance.", "\nPlease."}
	switch i % 4 {
	case 0:
		return addTypos(text, rand.New(rand.NewPCG(uint64(i), 5))) //nolint:gosec // not for secrets
	case 1:
		return text + after[i/4%len(after)]
	}
	return before[i/4%len(before)] + text
}

// withVariants returns samples and their variants.
func withVariants(samples []sample) []sample {
	all := append([]sample(nil), samples...)
	for _, s := range samples {
		all = append(all, s.variants...)
	}
	return all
}
