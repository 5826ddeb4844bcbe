package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
)

// Results is an archive with one section for each case of a table test.
type Results struct {
	names []string
	texts map[string]string
}

// OpenResults reads the archive of the named cases. It fails the test if the archive has
// sections of other cases. With -update it writes the archive when the test ends.
func OpenResults(t testing.TB, file string, names []string) *Results {
	t.Helper()
	content, err := os.ReadFile(file)
	isNew := IsUpdate() && errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		t.Fatal(err)
	}
	r, err := parseResults(string(content), names)
	if !IsUpdate() {
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		return r
	}
	t.Cleanup(func() {
		if err := os.WriteFile(file, []byte(r.format()), 0o644); err != nil {
			t.Error(err)
		}
	})
	return r
}

// parseResults returns an error if -update would change the archive although the results
// are the same.
func parseResults(content string, names []string) (*Results, error) {
	r := &Results{names: names, texts: map[string]string{}}
	sections, err := ParseSections(content)
	if err != nil {
		return r, err
	}
	for _, s := range sections {
		r.texts[s.Name] = s.Text
	}
	if formatted := r.format(); formatted != content {
		return r, fmt.Errorf("the archive is not as -update writes it:\n%s", Difference(content, formatted))
	}
	return r, nil
}

func (r *Results) format() string {
	var sections []Section
	for _, name := range r.names {
		if text, ok := r.texts[name]; ok {
			sections = append(sections, Section{name, text})
		}
	}
	return FormatSections(sections)
}

// Check compares the result of a case with the archive. With -update it replaces the result.
// Check must not be called concurrently.
func (r *Results) Check(t testing.TB, name, result string) {
	t.Helper()
	if IsUpdate() {
		r.texts[name] = result
		return
	}
	want, ok := r.texts[name]
	if !ok {
		t.Fatalf("the archive has no section %q; the flag -update adds it", name)
	}
	RequireEqual(t, want, result)
}
