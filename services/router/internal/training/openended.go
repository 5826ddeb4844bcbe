package training

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

//go:embed openended.txt
var openEnded string

// openEndedPrompt is a request whose response has no single right answer, as people send them
// to assistants. It was written and graded by hand for this purpose.
type openEndedPrompt struct {
	kind string
	// grade is how much the request needs a strong model, from 0 to 3.
	grade float64
	text  string
}

// openEndedPrompts returns the prompts of openended.txt. Each line has a kind, a grade and a text.
func openEndedPrompts() []openEndedPrompt {
	var all []openEndedPrompt
	for line := range strings.Lines(openEnded) {
		parts := strings.SplitN(strings.TrimSpace(line), "|", 3)
		grade, _ := strconv.ParseFloat(parts[1], 64)
		all = append(all, openEndedPrompt{parts[0], grade, strings.ReplaceAll(parts[2], `\n`, "\n")})
	}
	return all
}

// PrintOpenEnded writes how the scores of the first pair rank open-ended prompts: their
// correlation with the grades, and the mean rank of each kind, from 0 for the least need of the
// strong model to 1. No weights were learned from these prompts.
func (l *Lab) PrintOpenEnded(out io.Writer, p *predict.Predictor) {
	s, pair := &scorer{predictor: p, reader: l.reader}, l.pairs[0]
	prompts := openEndedPrompts()
	var scores, grades []float64
	for _, p := range prompts {
		score, _ := s.score(pair, p.text)
		scores, grades = append(scores, score), append(grades, p.grade)
	}
	ranks := meanRanks(scores)
	fmt.Fprintf(out, "Open-ended prompts, graded by hand, %s and %s\n\nrank correlation %.2f\n", pair.Strong, pair.Weak, correlation(ranks, meanRanks(grades)))
	for from := 0; from < len(prompts); {
		to := from
		for to < len(prompts) && prompts[to].kind == prompts[from].kind {
			to++
		}
		fmt.Fprintf(out, "%-12s mean rank %.2f\n", prompts[from].kind, mean(ranks[from:to])/float64(len(ranks)-1))
		from = to
	}
	fmt.Fprintln(out)
}
