// Command signalbox runs the whole gateway in one process. Without a command it starts
// the gateway. The commands are for operators. Most of them call the running services,
// on this machine or in a split deployment.
package main

import (
	"context"
	"os"

	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// The build sets these with -ldflags.
var version, commit, commitTime = "dev", "", ""

func main() {
	var err error
	code := process.Main("signalbox", func(ctx context.Context) error {
		err = newProgram().Dispatch(ctx, cli.Invocation{
			Args: os.Args[1:], Environ: os.Environ(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Interactive: cli.IsInteractive(os.Stdin),
			Version: version, Commit: commit, CommitTime: commitTime,
		})
		return err
	})
	os.Exit(cli.ExitCode(err, code))
}
