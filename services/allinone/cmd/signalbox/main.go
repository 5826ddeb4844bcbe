// Command signalbox runs the whole gateway in one process. Without a command it starts
// the gateway. The commands are for operators. Most of them call the running services,
// on this machine or in a split deployment.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/signalbox/signalbox/pkg/process"
)

// version is set by the build with -ldflags.
var version = "dev"

// exitUnreachable is the exit code if the service does not respond. Scripts may retry then.
const exitUnreachable = 2

func main() {
	var err error
	code := process.Main("signalbox", func(ctx context.Context) error {
		err = dispatch(ctx, invocation{
			args: os.Args[1:], environ: os.Environ(), in: os.Stdin, out: os.Stdout, err: os.Stderr, interactive: isInteractive(os.Stdin),
		})
		return err
	})
	if unreachable := (*unreachableError)(nil); errors.As(err, &unreachable) {
		code = exitUnreachable
	}
	os.Exit(code)
}

// isInteractive reports whether f is a terminal where a user can answer a question. It
// returns false for the null device, which cron jobs have as standard input.
func isInteractive(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
