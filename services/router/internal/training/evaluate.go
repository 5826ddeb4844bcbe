package training

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// Evaluate scores the prompts of every pair in a folder with a predictor. It uses the texts
// and the names of the models only; outcomes serve the figures. out is a folder for files
// with scores, or empty. Pairs whose folder is missing are left out.
func Evaluate(dir, out string, p *predict.Predictor, cat *catalog.Catalog, report io.Writer) error {
	pairs, err := ReadPairs(dir)
	if err != nil {
		return err
	}
	s := &scorer{predictor: p, reader: newReader(cat)}
	var rows []evaluation
	for _, pair := range pairs {
		set, err := ReadSet(dir, pair.Folder)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		scores, inside := scoreAll(s, pair, set)
		if err := writeScores(out, pair.Task, set.IDs, scores); err != nil {
			return err
		}
		rows = append(rows, newEvaluation(pair, set, scores, inside))
	}
	printEvaluations(report, rows)
	return nil
}

func scoreAll(s *scorer, pair Pair, set *Set) (scores []float64, inside int) {
	for _, text := range set.Texts {
		score, similarity := s.score(pair, text)
		if similarity > 0 {
			inside++
		}
		scores = append(scores, score)
	}
	return scores, inside
}

func writeScores(dir, task string, ids []string, scores []float64) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // not secret
		return err
	}
	file, err := os.Create(filepath.Join(dir, task+".csv"))
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	_ = w.Write([]string{"id", "score"})
	for i, id := range ids {
		_ = w.Write([]string{id, strconv.FormatFloat(scores[i], 'f', 6, 64)})
	}
	w.Flush()
	return errors.Join(w.Error(), file.Close())
}

// evaluation is a task, and the same prompts scored by their length.
type evaluation struct {
	task, length Task
}

func newEvaluation(pair Pair, set *Set, scores []float64, inside int) evaluation {
	e := evaluation{task: Task{Pair: pair, Inside: inside}}
	strong, ok1 := set.column(pair.Strong)
	weak, ok2 := set.column(pair.Weak)
	if !ok1 || !ok2 {
		return e
	}
	for i, row := range set.Scores {
		if math.IsNaN(row[strong]) || math.IsNaN(row[weak]) {
			continue
		}
		e.task.Scores, e.length.Scores = append(e.task.Scores, scores[i]), append(e.length.Scores, float64(len(set.Texts[i])))
		e.task.Strong, e.task.Weak = append(e.task.Strong, row[strong]), append(e.task.Weak, row[weak])
	}
	e.length.Strong, e.length.Weak = e.task.Strong, e.task.Weak
	return e
}

func printEvaluations(out io.Writer, rows []evaluation) {
	fmt.Fprintf(out, "%-16s %6s %7s  %-13s %7s %8s %7s %7s %7s\n", "task", "n", "APGR", "95 %", "static", "length", "strong", "cheap", "inside")
	sum, lengths, n, lowest := 0.0, 0.0, 0.0, 1.0
	for i := range rows {
		t := &rows[i].task
		if len(t.Scores) == 0 {
			fmt.Fprintf(out, "%-16s has no outcomes of both models\n", t.Pair.Task)
			continue
		}
		a, length := t.APGR(), rows[i].length.APGR()
		low, high := t.Interval()
		fmt.Fprintf(out, "%-16s %6d %7.3f  %.3f-%.3f %7.3f %8.3f %7.3f %7.3f %6.0f%%\n", t.Pair.Task, len(t.Scores), a, low, high, 0.5, length,
			mean(t.Strong), mean(t.Weak), 100*float64(t.Inside)/float64(len(t.Scores)))
		sum, lengths, n, lowest = sum+a, lengths+length, n+1, min(lowest, a)
	}
	if n > 0 {
		fmt.Fprintf(out, "%-16s %6s %7.3f  %13s %7.3f %8.3f\n%-16s %6s %7.3f\n", "mean", "", sum/n, "", 0.5, lengths/n, "lowest", "", lowest)
	}
	fmt.Fprintln(out, "\nstatic: any fixed share of requests to the strong model. cheap: the quality of the cheap model alone.")
}
