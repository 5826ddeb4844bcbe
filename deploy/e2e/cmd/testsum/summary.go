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

// summary buffers the output of each test and package until its result is known.
type summary struct {
	out                     io.Writer
	passed, failed, skipped int
	output                  map[string]*strings.Builder // by test, package or failed build
	failedPackages          map[string]bool             // packages with a failed test
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, output: map[string]*strings.Builder{}, failedPackages: map[string]bool{}}
}

// readEvents reads all events. It copies other lines to the output, because the go
// command reports its own errors as plain text.
func (s *summary) readEvents(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			s.handleLine(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
	}
}

func (s *summary) handleLine(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		fmt.Fprintf(s.out, "%s", line)
		return
	}
	switch e.Action {
	case "output":
		s.appendOutput(testID(e.Package, e.Test), e.Output)
	case "build-output":
		s.appendOutput(e.ImportPath, e.Output)
	case "pass", "fail", "skip":
		s.finishTest(e)
	}
}

// finishTest counts a finished test or package. It prints a failure immediately,
// because the run may take minutes more.
func (s *summary) finishTest(e event) {
	id := testID(e.Package, e.Test)
	switch {
	case e.Test == "" && e.Action == "fail":
		s.finishFailedPackage(e)
	case e.Test == "":
	case e.Action == "pass":
		s.passed++
	case e.Action == "skip":
		s.skipped++
		fmt.Fprintf(s.out, "skipped: %s\n", id)
	default:
		s.failed++
		s.failedPackages[e.Package] = true
		s.printOutput(id)
	}
	delete(s.output, id)
}

// finishFailedPackage handles a failed package. Its failed tests are counted
// already. The package counts as a failure itself if no test failed (it did not
// build) or if tests did not finish (it crashed in one of them).
func (s *summary) finishFailedPackage(e event) {
	unended := s.unfinishedTests(e.Package)
	if s.failedPackages[e.Package] && len(unended) == 0 {
		return
	}
	s.failed++
	s.printOutput(e.FailedBuild)
	s.printOutput(e.Package)
	for _, id := range unended {
		s.printOutput(id)
	}
}

func (s *summary) unfinishedTests(pkg string) []string {
	var ids []string
	for id := range s.output {
		if strings.HasPrefix(id, pkg+" ") && !strings.HasPrefix(id, pkg+" [") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (s *summary) appendOutput(id, text string) {
	b, ok := s.output[id]
	if !ok {
		b = &strings.Builder{}
		s.output[id] = b
	}
	b.WriteString(text)
}

func (s *summary) printOutput(id string) {
	if b, ok := s.output[id]; ok && id != "" {
		fmt.Fprintf(s.out, "\n== %s\n%s", id, b)
		delete(s.output, id)
	}
}

func (s *summary) printCounts() {
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
}

// succeeded reports whether no test failed and at least one passed. A pattern that
// matches no test must not look like success.
func (s *summary) succeeded() bool { return s.failed == 0 && s.passed > 0 }

func testID(pkg, test string) string {
	if test == "" {
		return pkg
	}
	return pkg + " " + test
}
