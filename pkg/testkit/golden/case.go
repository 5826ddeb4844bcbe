package golden

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Case is an archive with two sections: an input, and the result of the tested code.
type Case struct {
	// Name is the name of the file without its extension.
	Name          string
	Input, Result string
	file          string
}

const (
	inputSection  = "input"
	resultSection = "result"
	caseExtension = ".txt"
)

// ReadCases reads the archives in a directory. It fails the test if there are none, or if
// there are other files.
func ReadCases(t testing.TB, dir string) (cases []Case) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatalf("no archives in %s: %v", dir, err)
	}
	for _, e := range entries {
		c, err := readCase(filepath.Join(dir, e.Name()))
		isRepaired := IsUpdate() && errors.Is(err, errStaleResult)
		if err != nil && !isRepaired {
			t.Fatalf("%s in %s: %v", e.Name(), dir, err)
		}
		cases = append(cases, c)
	}
	return cases
}

func readCase(file string) (Case, error) {
	if filepath.Ext(file) != caseExtension {
		return Case{}, errors.New("the file is not an archive")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return Case{}, err
	}
	return parseCase(file, string(content))
}

// errStaleResult is returned with a case whose input can be used.
var errStaleResult = errors.New("the archive needs exactly one result after the input; the flag -update writes it")

func parseCase(file, content string) (Case, error) {
	c := Case{Name: strings.TrimSuffix(filepath.Base(file), caseExtension), file: file}
	sections, err := ParseSections(content)
	if err != nil {
		return c, err
	}
	if len(sections) == 0 || sections[0].Name != inputSection {
		return c, fmt.Errorf("the archive does not start with the section %q", inputSection)
	}
	c.Input = sections[0].Text
	if len(sections) != 2 || sections[1].Name != resultSection {
		return c, errStaleResult
	}
	c.Result = sections[1].Text
	return c, nil
}

// Check compares the result with the archive. With -update it writes the archive.
func (c Case) Check(t testing.TB, result string) {
	t.Helper()
	if !IsUpdate() {
		RequireEqual(t, c.Result, result)
		return
	}
	if err := os.WriteFile(c.file, []byte(c.format(result)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c Case) format(result string) string {
	return FormatSections([]Section{{inputSection, c.Input}, {resultSection, result}})
}
