package tokens_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/pkg/tokens/bpe"
)

var claude = tokens.Source{Provider: "anthropic", Family: "claude"}

func TestARatioIsLearned(t *testing.T) {
	l := tokens.NewLearner()
	for range 100 {
		l.LearnInput(claude, 1000, 1300)
		l.LearnOutput(claude, 1000, 800)
	}
	input, output := l.Ratios(claude)
	require.InDelta(t, 1.3, float64(input), 0.02)
	require.InDelta(t, 0.8, float64(output), 0.02)
	require.EqualValues(t, 10, tokens.Ratio(0.91).Scale(10))
	require.InDelta(t, 2600, input.Scale(2000), 40)

	for range 400 {
		l.LearnInput(claude, 1000, 1100)
	}
	input, _ = l.Ratios(claude)
	require.InDelta(t, 1.1, float64(input), 0.02, "what was reported long ago is forgotten")
}

func TestRatiosAreSeparatePerSource(t *testing.T) {
	l := tokens.NewLearner()
	l.LearnInput(claude, 10_000, 13_000)
	for _, other := range []tokens.Source{{Provider: "anthropic", Family: "other"}, {Provider: "other", Family: "claude"}} {
		input, output := l.Ratios(other)
		require.EqualValues(t, 77, input.Scale(77))
		require.EqualValues(t, 77, output.Scale(77))
	}
	_, output := l.Ratios(claude)
	require.EqualValues(t, 77, output.Scale(77))
}

// A constant number of tokens that a provider adds must not look like a
// different tokenizer.
func TestShortRequestsHaveLittleWeight(t *testing.T) {
	l := tokens.NewLearner()
	l.LearnInput(claude, 10, 300)
	input, _ := l.Ratios(claude)
	require.InDelta(t, 1, float64(input), 0.02)
	l.LearnInput(claude, 8000, 10_000)
	input, _ = l.Ratios(claude)
	require.InDelta(t, 1.2, float64(input), 0.03)
}

func TestOneRequestDoesNotDecideAlone(t *testing.T) {
	l := tokens.NewLearner()
	for range 100 {
		l.LearnInput(claude, 1000, 1000)
	}
	l.LearnInput(claude, 1_000_000, 2_000_000)
	input, _ := l.Ratios(claude)
	require.InDelta(t, 1.2, float64(input), 0.01)
}

func TestRatiosAreBounded(t *testing.T) {
	l := tokens.NewLearner()
	absurd := tokens.Source{Provider: "absurd"}
	for range 200 {
		l.LearnInput(claude, 1000, 1_000_000)
		l.LearnInput(absurd, 1_000_000, 1)
		l.LearnInput(absurd, 0, 5)
		l.LearnInput(absurd, 5, 0)
		l.LearnInput(absurd, -5, -5)
	}
	most, _ := l.Ratios(claude)
	least, _ := l.Ratios(absurd)
	require.InDelta(t, 2.5, float64(most), 0.05)
	require.LessOrEqual(t, float64(most), 2.5)
	require.InDelta(t, 0.5, float64(least), 0.05)
	require.GreaterOrEqual(t, float64(least), 0.5)
}

func TestTheNumberOfSourcesIsBounded(t *testing.T) {
	l := tokens.NewLearner()
	source := func(i int) tokens.Source { return tokens.Source{Provider: "p", Family: strconv.Itoa(i)} }
	for i := range 1100 {
		l.LearnInput(source(i), 10_000, 15_000)
	}
	known, _ := l.Ratios(source(0))
	require.Greater(t, known.Scale(100), int64(110))
	late, _ := l.Ratios(source(1099))
	require.EqualValues(t, 100, late.Scale(100))
}

func TestNilLearner(t *testing.T) {
	var l *tokens.Learner
	l.LearnInput(claude, 10, 20)
	l.LearnOutput(claude, 10, 20)
	l.QueueExactCount(claude, "o200k_base", func() string { panic("asked for the text") })
	input, output := l.Ratios(claude)
	require.EqualValues(t, 7, input.Scale(7))
	require.EqualValues(t, 7, output.Scale(7))
}

func TestConcurrentLearning(t *testing.T) {
	l := tokens.NewLearner()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 200 {
				l.LearnInput(claude, 1000, 1500)
				l.LearnInput(tokens.Source{Provider: strconv.Itoa(i)}, 1000, 1500)
				l.Ratios(claude)
			}
		})
	}
	wg.Wait()
	input, _ := l.Ratios(claude)
	require.InDelta(t, 1.5, float64(input), 0.02)
}

// counted returns the ratio after a text was queued the given number of times.
func counted(t *testing.T, of tokens.Source, tokenizer, text string, times int) (ratio tokens.Ratio, asked int) {
	synctest.Test(t, func(t *testing.T) {
		l := tokens.NewLearner()
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { l.Run(ctx) })
		for range times {
			l.QueueExactCount(of, tokenizer, func() string { asked++; return text })
			synctest.Wait()
		}
		ratio, _ = l.Ratios(of)
		stop()
		wg.Wait()
	})
	return ratio, asked
}

func TestEncodings(t *testing.T) {
	for family, want := range map[string]string{
		"gpt-5-mini": "o200k", "gpt-4o": "o200k", "gpt-4.1": "o200k", "gpt-oss-120b": "o200k", "o3-pro": "o200k", "chatgpt-latest": "o200k",
		"gpt-4-turbo": "cl100k", "gpt-3.5-turbo": "cl100k", "text-embedding-3-small": "cl100k",
		"claude": "", "gemini-3": "", "gpt": "", "": "",
	} {
		require.Equal(t, want, tokens.EncodingFor("", family), family)
	}
	require.Equal(t, "o200k", tokens.EncodingFor("o200k_harmony", "other"))
	require.Equal(t, "cl100k", tokens.EncodingFor("cl100k_base", "gpt-5"), "the tokenizer of the catalog takes precedence")
	require.Empty(t, tokens.EncodingFor("sentencepiece", "gpt-5"))
}

// A text with a bad estimate shows that the exact tokenizer was used.
func TestTextsAreCountedExactly(t *testing.T) {
	bad := strings.Repeat("supercalifragilisticexpialidocious and the words that everybody knows ", 20)
	e, err := bpe.New("cl100k")
	require.NoError(t, err)
	estimated, exact := tokens.EstimateText([]byte(bad)).Tokens(), e.Count([]byte(bad))
	const times, prior = 20, 2048
	want := float64(prior+times*exact) / float64(prior+times*estimated)
	ratio, asked := counted(t, tokens.Source{Provider: "p", Family: "gpt-4-turbo"}, "", bad, times)
	require.InDelta(t, want, float64(ratio), 0.001)
	require.Equal(t, times, asked)

	long := strings.Repeat("hello ", 600) + "\u00e9" + strings.Repeat("\u00e9", tokens.MaxExactBytes)
	ratio, asked = counted(t, tokens.Source{Family: "any"}, "cl100k", long, 150)
	require.Less(t, asked, 150, "enough is enough")
	require.NotZero(t, ratio)

	_, asked = counted(t, tokens.Source{Family: "claude"}, "", bad, 1)
	require.Zero(t, asked)
}

func TestQueueExactCountNeverBlocks(t *testing.T) {
	l, asked := tokens.NewLearner(), 0
	for range 100 {
		l.QueueExactCount(tokens.Source{Family: "gpt-5"}, "", func() string { asked++; return "x" })
	}
	require.Equal(t, 16, asked)
}
