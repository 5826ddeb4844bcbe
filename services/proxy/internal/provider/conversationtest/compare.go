package conversationtest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/golden"
)

// checkText compares the text that a subject produced with the archive. With -update it
// replaces the text.
func (a *archive) checkText(t *testing.T, s Subject, text string) {
	t.Helper()
	if golden.IsUpdate() {
		a.texts[s.Name] = text
		return
	}
	want, ok := a.texts[s.Name]
	require.True(t, ok, "%s has no section %q; the flag -update adds it", a.file, s.Name)
	golden.RequireEqual(t, want, text)
}

// finish checks the form of the archive. With -update it writes the archive.
func (a *archive) finish(t *testing.T, subjects []Subject) {
	t.Helper()
	if golden.IsUpdate() {
		require.NoError(t, os.WriteFile(a.file, []byte(a.format(subjects)), 0o644))
		return
	}
	require.NoError(t, a.checkForm(subjects))
}

// checkForm returns an error if the archive has sections of unknown subjects, or if -update
// would write it in another form.
func (a *archive) checkForm(subjects []Subject) error {
	for name := range a.texts {
		if findSubject(subjects, name) == nil {
			return fmt.Errorf("%s has a section %q, but there is no such subject; the flag -update removes it", a.file, name)
		}
	}
	if content := a.format(subjects); content != a.content {
		return fmt.Errorf("%s is not as -update writes it:\n%s", a.file, golden.Difference(a.content, content))
	}
	return nil
}

// format returns the content of the archive, with the texts of the subjects only.
func (a *archive) format(subjects []Subject) string {
	var variants []golden.Variant
	for _, s := range subjects {
		if text, ok := a.texts[s.Name]; ok {
			variants = append(variants, golden.Variant{
				Name: s.Name, Text: text, Base: s.Base, Replace: s.replacements(findSubject(subjects, s.Base)),
			})
		}
	}
	return golden.FormatSections(slices.Concat(a.written, golden.VariantSections(variants)))
}

// findSubject returns nil if there is no subject with the name.
func findSubject(subjects []Subject, name string) *Subject {
	i := slices.IndexFunc(subjects, func(s Subject) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &subjects[i]
}

// replacements returns pairs of texts that differ from the base because of the models.
func (s Subject) replacements(base *Subject) []string {
	if base == nil {
		return nil
	}
	pairs := []string{base.Chat.Model, s.Chat.Model, base.Embed.Model, s.Embed.Model}
	if from, to := base.Chat.MaxOutputTokens, s.Chat.MaxOutputTokens; from > 0 && to > 0 {
		pairs = append(pairs, strconv.FormatInt(from, 10), strconv.FormatInt(to, 10))
	}
	return pairs
}
