package golden_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/golden"
)

// difficultTexts have line ends, empty lines or starts of lines that an archive could
// confuse with its own syntax.
var difficultTexts = []string{
	"", "\n", "\n\n", "a", "a\n", "a\nb", "a\nb\n", "b\na\n", "a\r\nb\r\n", "a\r\nb", "\r", "a\n\n", " a\n", "a \n\tb\n",
	"-- a --\n", "-- a --", "-- a, compared with b --\n", "-- ", "- x --\n", "--\n", `\`, "\\\n", "\\-- a --\n", `\\`,
	"\\ no final newline\n", "\\ no final newline", "a\n\\ no final newline\n",
	"... 3 lines\n", "replace \"a\" with \"b\"\n", "+a\n-b\n c\n", "ä\x00\xff\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\nfour\n5\n6\n7\n8\nnine",
}

func TestArchivesLoseNothing(t *testing.T) {
	var sections []golden.Section
	for i, text := range difficultTexts {
		sections = append(sections, golden.Section{Name: fmt.Sprintf("text %d", i), Text: text})
	}
	read, err := golden.ParseSections(golden.FormatSections(sections))
	require.NoError(t, err)
	require.Equal(t, sections, read)
}

func TestDifferencesLoseNothing(t *testing.T) {
	for _, base := range difficultTexts {
		for _, text := range difficultTexts {
			requireRoundTrip(t, base, text)
			requireRoundTrip(t, base, text, "a", "b", "1", "", "", "x", "2", "2")
		}
	}
}

func FuzzDifference(f *testing.F) {
	f.Add("a\nb", "a\nc\n", "a", "b")
	f.Fuzz(func(t *testing.T, base, text, from, to string) { requireRoundTrip(t, base, text, from, to) })
}

// requireRoundTrip writes an archive with two variants and reads it.
func requireRoundTrip(t *testing.T, base, text string, replace ...string) {
	t.Helper()
	restored, err := golden.Apply(base, golden.Difference(base, text, replace...))
	require.NoError(t, err, "%q", golden.Difference(base, text, replace...))
	require.Equal(t, text, restored)
	archive := golden.FormatSections(golden.VariantSections([]golden.Variant{
		{Name: "base", Text: base}, {Name: "other", Text: text, Base: "base", Replace: replace},
	}))
	sections, err := golden.ParseSections(archive)
	require.NoError(t, err, "%q", archive)
	texts, err := golden.ReadVariants(sections)
	require.NoError(t, err, "%q", archive)
	require.Equal(t, map[string]string{"base": base, "other": text}, texts)
}

func TestDifferenceIsReadable(t *testing.T) {
	base := "1\n2\n3\nmodel a\n5\n6\n7\n8\n9\n"
	for _, tt := range []struct {
		name, text, want string
		replace          []string
	}{
		{"equal", base, "... 9 lines\n", nil},
		{"changed", strings.Replace(base, "5", "five", 1), "... 3 lines\n model a\n-5\n+five\n 6\n... 3 lines\n", nil},
		{"near changes", "one\n2\n3\n4\n5\n6\n7\n8\n9\n", "-1\n+one\n 2\n 3\n-model a\n+4\n 5\n... 4 lines\n", nil},
		{"end", base[:len(base)-1], "... 7 lines\n 8\n-9\n+9\n\\ no final newline\n", nil},
		{"replaced", strings.Replace(base, "a", "b", 1), "replace \"a\" with \"b\"\n... 9 lines\n", []string{"a", "b", "absent", "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, golden.Difference(base, tt.text, tt.replace...))
		})
	}
}
