// Command testsum summarizes the output of `go test -json`. It prints the complete
// output of failed tests, the names of skipped tests, and a closing line with the
// counts. Passing tests print nothing. It exits with 1 if a test failed or if no
// test passed.
package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	started := time.Now()
	s := newSummary(os.Stdout)
	if err := s.readEvents(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	fmt.Printf("tests: %.0f s\n", time.Since(started).Seconds())
	s.printCounts()
	if !s.succeeded() {
		os.Exit(1)
	}
}
