package golden

import (
	"fmt"
	"strings"
)

// Section is a named text of an archive.
type Section struct{ Name, Text string }

const (
	headStart = "-- "
	headEnd   = " --\n"
	// escape marks a line of a text that would otherwise be read as syntax.
	escape = `\`
	// noNewline follows a text whose last line does not end with a newline.
	noNewline = escape + " no final newline\n"
)

// FormatSections returns the archive with the sections in the given order. Names must not
// be empty or contain line breaks.
func FormatSections(sections []Section) string {
	var b strings.Builder
	for _, s := range sections {
		b.WriteString(headStart + s.Name + headEnd)
		for line := range strings.Lines(s.Text) {
			if strings.HasPrefix(line, headStart) || strings.HasPrefix(line, escape) {
				b.WriteString(escape)
			}
			b.WriteString(terminate(line))
		}
	}
	return b.String()
}

// terminate returns a line with its newline, or with a newline and the line that tells that
// it has none.
func terminate(line string) string {
	if strings.HasSuffix(line, "\n") {
		return line
	}
	return line + "\n" + noNewline
}

// ParseSections reads an archive that FormatSections wrote.
func ParseSections(archive string) ([]Section, error) {
	var sections []Section
	number := 0
	for line := range strings.Lines(archive) {
		number++
		if name, ok := parseHead(line); ok {
			sections = append(sections, Section{Name: name})
			continue
		}
		if len(sections) == 0 || !strings.HasSuffix(line, "\n") || strings.HasPrefix(line, headStart) {
			return nil, fmt.Errorf("line %d of the archive is invalid: %q", number, line)
		}
		last := &sections[len(sections)-1]
		if line == noNewline {
			last.Text = strings.TrimSuffix(last.Text, "\n")
		} else {
			last.Text += strings.TrimPrefix(line, escape)
		}
	}
	return sections, nil
}

// parseHead returns the name of the section that starts with the line.
func parseHead(line string) (name string, ok bool) {
	rest, starts := strings.CutPrefix(line, headStart)
	name, ends := strings.CutSuffix(rest, headEnd)
	return name, starts && ends && name != ""
}
