// Command testsum summarizes the output of `go test -json`. While tests run, it prints
// the progress every ten seconds and the name of each failed test. At the end it prints
// the complete output of the failed tests, then the skipped tests, the slowest packages
// and the counts. It exits with 1 if a test failed or if no test ran.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const progressInterval = 10 * time.Second

func main() {
	total := flag.Int("packages", 0, "number of packages that are tested, for the progress")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := newSummary(os.Stdout, *total, time.Now)
	read := make(chan error, 1)
	go func() { read <- s.readEvents(os.Stdin) }()
	if err := reportUntilDone(ctx, s, read); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	s.printResult()
	if !s.succeeded() {
		os.Exit(1)
	}
}

// reportUntilDone prints the progress until all events are read. After a signal it still
// prints the result, which shows the failures so far.
func reportUntilDone(ctx context.Context, s *summary, read <-chan error) error {
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case err := <-read:
			return err
		case <-ctx.Done():
			s.printResult()
			return ctx.Err()
		case <-tick.C:
			s.printProgress()
		}
	}
}
