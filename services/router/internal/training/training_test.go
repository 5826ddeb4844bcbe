package training_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/training"
)

func shipped(t *testing.T) *catalog.Catalog {
	cat, err := catalog.Load()
	require.NoError(t, err)
	return cat
}

func write(t *testing.T, path, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// hard says whether the weak model fails.
func question(i int) (text string, hard bool) {
	subjects := []string{"topology", "arithmetic"}
	return fmt.Sprintf("Question %d about %s and the number %d of things in room %d?", i, subjects[i%2], i*7, i%13), i%2 == 0
}

// makeData writes every folder that training reads. In each, a weak and a strong model
// answer; the weak one fails on topology.
func makeData(t *testing.T, n int) string {
	dir := filepath.Join(t.TempDir(), "data")
	categories := []string{"mmlu", "gsm8k", "math", "trivia_qa", "mbpp", "commongen"}
	for f, folder := range []string{"routellm_mmlu", "mmlu_pro", "routellm_gsm8k", "zeroeval_gsm", "zeroeval_math_l5", "ulab_llmrouter"} {
		var prompts, scores strings.Builder
		scores.WriteString("id,vendor/strong-1,weak_1\n")
		random := rand.New(rand.NewPCG(uint64(f), 1))
		for i := range n {
			text, hard := question(i + 1000*f)
			weak := 1
			if hard && random.IntN(10) > 0 {
				weak = 0
			}
			fmt.Fprintf(&prompts, `{"id":"%d","category":%q,"prompt":%q}`+"\n", i, categories[i/2%len(categories)], text)
			fmt.Fprintf(&scores, "%d,1,%d\n", i, weak)
		}
		write(t, filepath.Join(dir, folder, "prompts.jsonl"), prompts.String())
		write(t, filepath.Join(dir, folder, "scores.csv"), scores.String())
	}
	write(t, filepath.Join(dir, "..", "pairs.csv"), "task,folder,strong,weak,kind\nfirst,mmlu_pro,vendor/strong-1,weak_1,x\nabsent,nowhere,a,b,x\n")
	return dir
}

// The weights find out which questions need the strong model, on questions that they were
// not trained on, and training twice gives the same bytes.
func TestTrainingFindsWhatTheWeakModelCannotDo(t *testing.T) {
	dir := makeData(t, 60)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "..", "pairs.csv"), []byte("task,folder,strong,weak,kind\nfirst,mmlu_pro,vendor/strong-1,weak_1,x\n"), 0o600))
	lab, err := training.Open(dir, shipped(t))
	require.NoError(t, err)
	tasks, calibrations := lab.CrossValidate(func(int) {})
	require.Len(t, tasks[0].Scores, 60)
	require.Greater(t, tasks[0].APGR(), 0.7)
	low, high := tasks[0].Interval()
	require.Less(t, low, tasks[0].APGR())
	require.Greater(t, high, tasks[0].APGR())
	require.NotEmpty(t, calibrations)

	first, err := lab.Train().Encode()
	require.NoError(t, err)
	second, err := lab.Train().Encode()
	require.NoError(t, err)
	require.Equal(t, first, second)
	_, err = predict.New(first)
	require.NoError(t, err)
}

// Scores are written without outcomes, too, and a folder that is missing is left out.
func TestEvaluateNeedsNoOutcomes(t *testing.T) {
	dir, out := makeData(t, 20), t.TempDir()
	p, err := predict.Load()
	require.NoError(t, err)
	var with, without strings.Builder
	require.NoError(t, training.Evaluate(dir, out, p, shipped(t), &with))
	require.Contains(t, with.String(), "first")
	require.NotContains(t, with.String(), "absent")
	scores := readScores(t, filepath.Join(out, "first.csv"))
	require.Len(t, scores, 21)
	require.Equal(t, []string{"id", "score"}, scores[0])

	require.NoError(t, os.Remove(filepath.Join(dir, "mmlu_pro", "scores.csv")))
	require.NoError(t, training.Evaluate(dir, out, p, shipped(t), &without))
	require.Contains(t, without.String(), "no outcomes")
	require.Equal(t, scores, readScores(t, filepath.Join(out, "first.csv")), "outcomes do not influence the scores")
}

func readScores(t *testing.T, path string) [][]string {
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	return rows
}

func TestMistakesInDataAreNamed(t *testing.T) {
	dir := makeData(t, 12)
	write(t, filepath.Join(dir, "mmlu_pro", "scores.csv"), "id,a\n1,high\n")
	_, err := training.Open(dir, shipped(t))
	require.ErrorContains(t, err, "line 2")
	write(t, filepath.Join(dir, "mmlu_pro", "scores.csv"), "id,a\n1,1\n")
	_, err = training.Open(dir, shipped(t))
	require.ErrorContains(t, err, "1 scores for 12 prompts")
	write(t, filepath.Join(dir, "mmlu_pro", "prompts.jsonl"), "{\n")
	_, err = training.Open(dir, shipped(t))
	require.ErrorContains(t, err, "prompts.jsonl, line 1")
	_, err = training.Open(t.TempDir(), shipped(t))
	require.ErrorIs(t, err, os.ErrNotExist)
}
