package features_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/router/internal/features"
)

func read(text string) map[string]int64 {
	v := features.NewReader().Read(text)
	all := v.AppendTo(decide.NamedValues{})
	return all.ToMap()
}

func TestGolden(t *testing.T) {
	for _, c := range golden.ReadCases(t, "testdata") {
		t.Run(c.Name, func(t *testing.T) {
			got, err := json.MarshalIndent(read(c.Input), "", "  ")
			require.NoError(t, err)
			c.Check(t, string(got)+"\n")
		})
	}
}

func TestNamesAreAllOfThemAndOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range features.Names() {
		require.Regexp(t, `^[a-z_]+$`, name)
		require.False(t, seen[name], name)
		seen[name] = true
	}
	require.Len(t, features.Vector{}, len(seen))
	doc, err := os.ReadFile("features.go")
	require.NoError(t, err)
	comment, _, _ := strings.Cut(string(doc), "package features")
	for name := range seen {
		require.Regexp(t, `[\t ]`+name+`[,\s]`, comment, "the table tells of every feature")
	}
}

// Each text produces the feature that is listed with it.
func TestEachFeatureIsUnderItsName(t *testing.T) {
	for text, name := range map[string]string{
		"Draft a note": "task_write", "Summarise it": "task_summarise", "Translate it": "task_translate",
		"Explain it": "task_explain", "Fix it": "task_fix", "Classify it": "task_classify",
		"Extract it": "task_extract", "Compare them": "task_compare", "Implement it": "task_implement",
		"Solve it": "task_solve", "Rephrase it": "task_rewrite", "Outline it": "task_plan",
		"Who is it": "asks_what", "Why is it": "asks_why", "How is it": "asks_how", "Is it?": "asks_yes_no",
		"as JSON": "wants_json", "as a table": "wants_table", "as a list": "wants_list", "be brief": "wants_short",
		"in depth": "wants_long", "step by step": "wants_steps", "about 50 words": "wants_words",
		"a) one": "options", "* one": "list_items", "hi": "greeting", "thanks": "polite", "never": "negations",
		"http://a.b/c?d": "urls", "the plaintiff": "legal", "the dosage": "medical", "a dividend": "finance",
		"a premise": "reasoning", "x = y": "operators", `\alpha`: "latex", "a 7": "numbers", "compile": "code_words",
		"`a`": "inline_code", "```\na\n```": "fences", "x?": "questions",
	} {
		require.NotZero(t, read(text)[name], "%s in %q", name, text)
	}
}

func TestSeparatorsOfNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		"about 1,000.5 words": 1000, "about 1,000 words": 1000, "about 1.500 words": 1500, "about 12.5 words": 12,
		"about 1,234,567 words": 100_000, "about 300.25 words": 300, "about 1.500,75 words": 1500, "about 2000 words": 2000,
	} {
		require.Equal(t, want, read(text)["wants_words"], text)
		require.Equal(t, int64(1), read(text)["numbers"], text)
	}
}

func TestWhatIsNotAsked(t *testing.T) {
	for text, name := range map[string]string{
		"He can write.": "task_write", "write(2) fails": "task_write", "Do it.": "asks_yes_no",
		"no list please": "wants_list", "the value in the table": "wants_table", "hi, fix it": "greeting",
		"in 2019, words failed": "wants_words", "It costs 5 or 6": "maths", "Dr. A. Bee": "options",
		"```\nWhy?\n```": "asks_why", "C:\\users\\me": "latex", "A well-known one": "operators",
	} {
		require.Zero(t, read(text)[name], "%s in %q", name, text)
	}
}

func TestEmptyTextHasNoFeatures(t *testing.T) {
	require.Empty(t, read(""))
	require.Empty(t, read("\xe4"))
	require.Equal(t, map[string]int64{"lexical": features.Version, "length": 1}, read(" \n"))
}

// The proxy cuts between runes. A cut within a rune gives the same features.
func TestARuneTornAtTheCutIsAsIfItWereNotThere(t *testing.T) {
	const text = "Warum \u00fcber\u4e2d\u6587 \U0001f600 f\u00fcr\u2019s?"
	for cut := range len(text) {
		torn := text[:cut]
		clean := strings.ToValidUTF8(torn, "")
		require.Equal(t, read(clean), read(torn), "%q", torn)
		require.Equal(t, read(clean), read(strings.ToValidUTF8(torn, "\ufffd")), "%q", torn)
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	r, text := features.NewReader(), sample(t, 8<<10)
	require.Zero(t, testing.AllocsPerRun(10, func() { r.Read(text) }))
}

// sample returns a mixed text of a given size.
func sample(t testing.TB, size int) string {
	cases := golden.ReadCases(t, "testdata")
	var all strings.Builder
	for all.Len() < size {
		for _, c := range cases {
			all.WriteString(c.Input + "\n")
		}
	}
	return all.String()[:size]
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "hi", "```go\nx := 1", "\\_", "\\frac_", "\xff\xfe", "a\u2019t?", "1,0.", "```\n```", "www.", "http://"} {
		f.Add(text)
	}
	f.Add(sample(f, 2<<10))
	shares := map[string]bool{"code": true, "digits": true, "non_latin": true, "maths": true, "language_confidence": true}
	r, other := features.NewReader(), features.NewReader()
	f.Fuzz(func(t *testing.T, text string) {
		v := r.Read(text)
		require.True(t, v == other.Read(text), "the same for every reader")
		for i, name := range features.Names() {
			require.True(t, v[i] >= 0 && (!shares[name] || v[i] <= 1000), "%s is %d", name, v[i])
		}
	})
}

func BenchmarkRead(b *testing.B) {
	r := features.NewReader()
	for name, size := range map[string]int{"2KB": 2 << 10, "8KB": 8 << 10} {
		text := sample(b, size)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Read(text)
			}
		})
	}
}
