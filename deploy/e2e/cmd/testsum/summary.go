package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is one line of `go test -json`; see go doc test2json.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// summary collects events until a test or package ends and its fate is known.
type summary struct {
	out                     io.Writer
	passed, failed, skipped int
	output                  map[string]*strings.Builder // by test, by package, or by failed build
	red                     map[string]bool             // packages with a failed test
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, output: map[string]*strings.Builder{}, red: map[string]bool{}}
}

// read consumes the events. A line that is no event is passed on as it is: the
// go command itself complains in plain text.
func (s *summary) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			s.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
	}
}

func (s *summary) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		fmt.Fprintf(s.out, "%s", line)
		return
	}
	switch e.Action {
	case "output":
		s.keep(name(e.Package, e.Test), e.Output)
	case "build-output":
		s.keep(e.ImportPath, e.Output)
	case "pass", "fail", "skip":
		s.end(e)
	}
}

// end settles a test or a package. What failed is shown at once, since the
// run may take minutes more.
func (s *summary) end(e event) {
	id := name(e.Package, e.Test)
	switch {
	case e.Test == "" && e.Action == "fail":
		s.endPackage(e)
	case e.Test == "":
	case e.Action == "pass":
		s.passed++
	case e.Action == "skip":
		s.skipped++
		fmt.Fprintf(s.out, "skipped: %s\n", id)
	default:
		s.failed++
		s.red[e.Package] = true
		s.show(id)
	}
	delete(s.output, id)
}

// endPackage settles a failed package. Its failed tests have been counted; it
// is a failure of its own if it had none (it does not build) or left tests
// without an end (it died, and one of them is why).
func (s *summary) endPackage(e event) {
	unended := s.unended(e.Package)
	if s.red[e.Package] && len(unended) == 0 {
		return
	}
	s.failed++
	s.show(e.FailedBuild)
	s.show(e.Package)
	for _, id := range unended {
		s.show(id)
	}
}

func (s *summary) unended(pkg string) []string {
	var ids []string
	for id := range s.output {
		if strings.HasPrefix(id, pkg+" ") && !strings.HasPrefix(id, pkg+" [") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (s *summary) keep(id, text string) {
	b, ok := s.output[id]
	if !ok {
		b = &strings.Builder{}
		s.output[id] = b
	}
	b.WriteString(text)
}

func (s *summary) show(id string) {
	if b, ok := s.output[id]; ok && id != "" {
		fmt.Fprintf(s.out, "\n== %s\n%s", id, b)
		delete(s.output, id)
	}
}

func (s *summary) close() {
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
}

// green is false also when no test ran: a pattern that matches nothing proves
// nothing.
func (s *summary) green() bool { return s.failed == 0 && s.passed > 0 }

func name(pkg, test string) string {
	if test == "" {
		return pkg
	}
	return pkg + " " + test
}
