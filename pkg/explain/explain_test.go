package explain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/explain"
)

func explainFeatures(features map[string]int64) explain.Explanation {
	return explain.Explain(explain.Facts{Features: decide.NamedValuesFromMap(features), Predictor: "priors-1+learned-2"})
}

func TestReasonsNameTheKindFirst(t *testing.T) {
	for want, features := range map[string]map[string]int64{
		"greeting or thanks (easier)": {"lexical": 2, "greeting": 1, "length": 1},
		"long Python code with a stack trace (harder), asks to fix something (harder)":     {"lexical": 2, "code": 700, "code_language": 2, "length": 4, "trace": 1, "task_fix": 1},
		"multi-step mathematics (harder), formulas":                                        {"lexical": 2, "maths": 300, "numbers": 6, "latex": 2, "length": 3},
		"short factual question (easier)":                                                  {"lexical": 2, "length": 1, "questions": 1, "asks_what": 1},
		"translation (easier), legal subject (harder), in German (harder)":                 {"lexical": 2, "task_translate": 1, "legal": 3, "language": 2, "language_confidence": 900, "length": 3},
		"agent with 3 tools (harder), conversation with 4 user messages (harder)":          {"tools": 3, "turns": 4},
		"competition mathematics (harder), harder than most of its kind (harder)":          {"lexical": 2, "maths": 500, "learned": 1000, "learned_kind": 4, "learned_ease": -900},
		"short calculation, easier than most of its kind (easier)":                         {"lexical": 2, "maths": 500, "numbers": 2, "length": 1, "learned": 1000, "learned_kind": 4, "learned_ease": 900},
		"text of about 800 words (harder)":                                                 {"lexical": 2, "task_write": 1, "wants_words": 800, "wants_long": 1, "length": 2},
		"request in plain language, much context: 50,000 bytes (harder), 1 image (harder)": {"lexical": 2, "length": 3, "text_bytes": 50_000, "images": 1, "turns": 2, "negations": 4},
		"": {"messages": 1, "text_bytes": 20},
	} {
		require.Equal(t, want, explain.JoinReasons(explainFeatures(features).Reasons))
	}
}

// A text without options is not called a multiple choice, although the predictor takes it for
// one. The guard says what the predictor believes.
func TestTheNameOfACollectionNeedsItsFeatures(t *testing.T) {
	e := explainFeatures(map[string]int64{"lexical": 2, "length": 2, "questions": 1, "asks_what": 1, "learned": 1000, "learned_kind": 5})
	require.Equal(t, "short factual question (easier)", explain.JoinReasons(e.Reasons))
	require.Equal(t, explain.Guard{State: explain.GuardInside, Text: "Inside what the predictor was trained on: multiple-choice questions."}, e.Guard)
}

func TestTheGuardSaysWhy(t *testing.T) {
	outside := "Outside what the predictor was trained on: "
	for want, features := range map[string]map[string]int64{
		outside + "the text resembles none of it.":                                     {"lexical": 2},
		outside + "it learned from single questions, and this is a conversation.":      {"lexical": 2, "turns": 2},
		outside + "it learned from single questions, and this is a request with tools": {"lexical": 2, "turns": 2, "tools": 1},
		"The router did not get the text of the request.":                              {"turns": 1},
	} {
		e := explainFeatures(features)
		require.Equal(t, explain.GuardOutside, e.Guard.State)
		require.Contains(t, e.Guard.Text, want)
		require.Contains(t, e.Guard.Text, "The ratings of the models")
	}
	partly := explainFeatures(map[string]int64{"lexical": 2, "learned": 585, "learned_kind": 3}).Guard
	require.Equal(t, explain.GuardPartly, partly.State)
	require.Contains(t, partly.Text, "grade-school mathematics")
	require.Contains(t, partly.Text, "59 %")

	require.Equal(t, explain.GuardUnused, explain.Explain(explain.Facts{}).Guard.State)
	none := explain.Explain(explain.Facts{Predictor: "priors-1", Features: decide.NamedValuesFromMap(map[string]int64{"lexical": 2})})
	require.Contains(t, none.Guard.Text, "no learned weights")
	unknown := explainFeatures(map[string]int64{"lexical": 2, "learned": 1000, "learned_kind": 99})
	require.Equal(t, "Inside what the predictor was trained on.", unknown.Guard.Text)
}

func TestIntervalsAreWiderOutside(t *testing.T) {
	facts := func(learned int64) explain.Facts {
		return explain.Facts{
			Predictor: "p+l", Qualities: decide.NamedValuesFromMap(map[string]int64{"small": 800, "large": 980}),
			Features: decide.NamedValuesFromMap(map[string]int64{"learned": learned, "learned_error": 60}),
		}
	}
	for learned, want := range map[int64]explain.Interval{1000: {Low: 740, High: 860}, 0: {Low: 630, High: 970}, 500: {Low: 685, High: 915}} {
		got, ok := facts(learned).IntervalOf("small", 800)
		require.True(t, ok)
		require.Equal(t, want, got, learned)
	}
	got, _ := facts(1000).IntervalOf("large", 980)
	require.Equal(t, "0.92–1.00", explain.FormatInterval(got), "a quality is at most 1")
	_, ok := facts(1000).IntervalOf("rated", 800)
	require.False(t, ok, "a rating has no interval")
}

func TestSignalsHaveNamesAndWords(t *testing.T) {
	e := explainFeatures(map[string]int64{
		"language": 1, "language_confidence": 700, "code": 305, "code_language": 10, "trace": 1, "task_fix": 1, "task_explain": 1,
		"wants_words": 200, "wants_json": 1, "length": 3, "max_output": 1024, "text_bytes": 12_345, "learned": 800, "new_feature": 7, "lexical": 2, "stream": 0,
	})
	got := map[string]string{}
	for _, s := range e.Signals {
		require.NotEmpty(t, s.Features)
		got[s.Name] = s.Text
	}
	require.Equal(t, map[string]string{
		"Language": "English", "Code": "31 %", "Programming language": "C#", "Stack trace": "yes", "Task": "explain, fix",
		"Wants": "JSON, about 200 words", "Length": "up to 1,000 bytes", "Output limit": "1,024 tokens", "Text": "12,345 bytes", "new feature": "7",
	}, got)
}
