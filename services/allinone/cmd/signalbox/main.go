// Command signalbox is the whole gateway in one process. Without a verb it
// runs; the verbs are for operators, and those about accounts, keys, invites
// and sessions talk to the running service, here or of the split shape.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/signalbox/signalbox/pkg/process"
)

// version is set by the build.
var version = "dev"

// exitNobody is for scripts: trying again later may help.
const exitNobody = 2

func main() {
	var err error
	code := process.Main("signalbox", func(ctx context.Context) error {
		err = dispatch(ctx, call{
			args: os.Args[1:], environ: os.Environ(), in: os.Stdin, out: os.Stdout, err: os.Stderr, answers: terminal(os.Stdin),
		})
		return err
	})
	if nobody := (*unreachable)(nil); errors.As(err, &nobody) {
		code = exitNobody
	}
	os.Exit(code)
}

// terminal tells the null device, which scripts and timers have instead of a
// person, from one where an answer may come.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
