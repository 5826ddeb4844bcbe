// Command testsum reads the events of `go test -json` and prints what a person
// wants of them: nothing while tests pass, the whole output of what fails, the
// names of skipped tests, and one closing line with the counts. It exits with
// 1 if anything failed or if there was nothing to count. It judges no output
// and keeps nothing.
package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	started := time.Now()
	s := newSummary(os.Stdout)
	if err := s.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	fmt.Printf("tests: %.0f s\n", time.Since(started).Seconds())
	s.close()
	if !s.green() {
		os.Exit(1)
	}
}
