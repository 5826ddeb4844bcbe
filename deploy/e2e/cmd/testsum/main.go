// Command testsum summarizes the output of one or more `go test -json` commands. It reads
// the files in its arguments at the same time, or the standard input. While tests run, it
// prints the progress every ten seconds and the name of each failed test. At the end it
// prints the complete output of the failed tests, then the skipped tests, the slowest
// packages and the counts. It exits with 1 if a test failed, if no test ran, or if fewer
// packages than expected finished.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

const progressInterval = 10 * time.Second

func main() {
	total := flag.Int("packages", 0, "number of packages that are tested; fewer are an error")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := newSummary(os.Stdout, *total, time.Now)
	read := make(chan error, 1)
	go func() { read <- readFiles(s, flag.Args()) }()
	if err := reportUntilDone(ctx, s, read); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	s.printResult()
	if !s.succeeded() {
		os.Exit(1)
	}
}

// readFiles reads all files to their end, or the standard input if there are none.
func readFiles(s *summary, paths []string) error {
	if len(paths) == 0 {
		return s.readEvents(os.Stdin)
	}
	var files errgroup.Group
	for _, path := range paths {
		files.Go(func() error {
			file, err := os.Open(path) //nolint:gosec // the path is from the command line
			if err != nil {
				return err
			}
			return errors.Join(s.readEvents(file), file.Close())
		})
	}
	return files.Wait()
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
