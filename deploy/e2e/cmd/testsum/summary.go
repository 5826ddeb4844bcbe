package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
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

// summary buffers the output of each test and package until its result is known. It is
// safe for concurrent use.
type summary struct {
	out io.Writer
	now func() time.Time

	mu             sync.Mutex
	passed, failed int
	skipped        []string
	output         map[string]*strings.Builder // by test, package or failed build
	failedPackages map[string]bool             // packages with a failed test
	failures       strings.Builder             // the output of the failed tests
	progress       progress
}

// newSummary returns an empty summary. total is the number of packages, or 0 if it is
// unknown.
func newSummary(out io.Writer, total int, now func() time.Time) *summary {
	return &summary{
		out: out, now: now, output: map[string]*strings.Builder{}, failedPackages: map[string]bool{},
		progress: progress{total: total, started: now(), running: map[string]time.Time{}},
	}
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
	s.mu.Lock()
	defer s.mu.Unlock()
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		fmt.Fprintf(s.out, "%s", line)
		return
	}
	switch e.Action {
	case "start":
		s.progress.startPackage(e.Package, s.now())
	case "output":
		s.appendOutput(testID(e.Package, e.Test), e.Output)
	case "build-output":
		s.appendOutput(e.ImportPath, e.Output)
	case "pass", "fail", "skip":
		s.finishTest(e)
	}
}

// finishTest counts a finished test or package. It names a failure immediately, because
// the run may take minutes more.
func (s *summary) finishTest(e event) {
	id := testID(e.Package, e.Test)
	switch {
	case e.Test == "":
		s.progress.finishPackage(e.Package, s.now())
		if e.Action == "fail" {
			s.finishFailedPackage(e)
		}
	case e.Action == "pass":
		s.passed++
	case e.Action == "skip":
		s.skipped = append(s.skipped, id)
	default:
		s.failedPackages[e.Package] = true
		s.addFailure(id)
		s.moveOutput(id)
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
	s.addFailure(e.Package)
	s.moveOutput(e.FailedBuild)
	s.moveOutput(e.Package)
	for _, id := range unended {
		s.moveOutput(id)
	}
}

func (s *summary) addFailure(id string) {
	s.failed++
	fmt.Fprintf(s.out, "FAILED: %s\n", id)
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

// moveOutput moves the buffered output of a failed test to the failures.
func (s *summary) moveOutput(id string) {
	if b, ok := s.output[id]; ok && id != "" {
		fmt.Fprintf(&s.failures, "\n== %s\n%s", id, b)
		delete(s.output, id)
	}
}

// printResult prints the failures first.
func (s *summary) printResult() {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprint(s.out, s.failures.String())
	for _, id := range s.skipped {
		fmt.Fprintf(s.out, "skipped: %s\n", id)
	}
	s.progress.printSlowest(s.out)
	if missing := s.progress.missing(); missing > 0 {
		fmt.Fprintf(s.out, "%d packages did not finish\n", missing)
	}
	fmt.Fprintf(s.out, "tests: %s; %d passed, %d failed, %d skipped\n", formatElapsed(s.now().Sub(s.progress.started)), s.passed, s.failed, len(s.skipped))
}

// printProgress prints one line about the packages that are done and running.
func (s *summary) printProgress() {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.out, s.progress.describe(s.now(), s.passed, s.failed))
}

// succeeded reports whether no test failed, at least one passed, and all packages finished.
// A pattern that matches no test, or a go command that died, must not look like success.
func (s *summary) succeeded() bool {
	return s.failed == 0 && s.passed > 0 && s.progress.missing() == 0
}

func testID(pkg, test string) string {
	if test == "" {
		return pkg
	}
	return pkg + " " + test
}
