package training

import (
	"math/rand/v2"
	"strings"
)

// vary returns edited texts with the same meaning: one with typos, and one with an
// introduction or with other phrases. Learning from all makes decisions robust against such
// edits. The introductions are not polite sentences, which predict.WithoutCourtesy removes.
// The phrases are not those of heldOutParaphrase.
func vary(text string, i int) []string {
	before := []string{
		"This came up at work today. ", "My brother and I disagree about this one. ", "From my notes:\n", "A friend sent me this:\n\n",
		"Next one. ", "I could not find this anywhere. ",
	}
	typos := addTypos(text, rand.New(rand.NewPCG(uint64(i), 5))) //nolint:gosec // not for secrets
	switch i % 3 {
	case 0:
		return []string{typos, before[i/3%len(before)] + text}
	case 1:
		return []string{typos, paraphrase(text)}
	}
	return []string{typos, rephrasings.Replace(text)}
}

var rephrasings = strings.NewReplacer(
	"Write a function to ", "Code a routine to ", "Write a python function to ", "I want python code to ", "Write ", "Produce ",
	"Which of the following", "Which statement or term below", "Which ", "Pick which ", "What is ", "Say what is ", "What are ", "List ",
	"How many ", "Count how many ", "How much ", "State how much ", "Find ", "Get ", "Compute ", "Evaluate ", "Who ", "Tell me who ", "When ", "Tell me when ",
	" total ", " overall ", " then ", " afterwards ", " buys ", " gets ", " people ", " persons ", " correct ", " right ", " about ", " regarding ", " begin ", " start ",
)

// withVariants returns samples and their variants.
func withVariants(samples []sample) []sample {
	all := append([]sample(nil), samples...)
	for _, s := range samples {
		all = append(all, s.variants...)
	}
	return all
}
