// Package clitest runs commands in tests of the command line.
//
// Commands runs a family of commands with captured output. StartGateway starts the gateway
// for commands that need running services; SendChat gives it a request to record. StartRouter
// starts a router alone.
package clitest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// Commands is a table of commands under test.
type Commands []cli.Command

// RunOffline runs a command as main does. It returns the output to both streams.
func (all Commands) RunOffline(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := all.program().Dispatch(t.Context(), cli.Invocation{Args: args, In: strings.NewReader(""), Out: &out, Err: &out})
	return out.String(), err
}

// Run runs a command that must succeed and returns its output.
func (all Commands) Run(t *testing.T, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	err := all.program().Dispatch(t.Context(), cli.Invocation{Args: args, In: strings.NewReader(""), Out: &o, Err: &e})
	require.NoError(t, err, args)
	return o.String(), e.String()
}

// RunFailing runs a command that must fail and returns its output and its error.
func (all Commands) RunFailing(t *testing.T, args ...string) (out, errs, said string) {
	t.Helper()
	var o, e bytes.Buffer
	err := all.program().Dispatch(t.Context(), cli.Invocation{Args: args, In: strings.NewReader(""), Out: &o, Err: &e})
	require.Error(t, err, args)
	return o.String(), e.String(), err.Error()
}

func (all Commands) program() *cli.Program {
	return &cli.Program{Sections: []cli.Section{{Commands: all}}}
}
