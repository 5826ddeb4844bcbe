package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
)

// call is a command with what it is called with.
type call struct {
	args, environ []string
	in            io.Reader
	out, err      io.Writer
	// answers is whether a person may be at in.
	answers bool
}

// command is a row of the table that both help and dispatch read.
type command struct {
	// name is one word, or two for a group.
	name string
	// takes is what follows the name, does is what comes of it.
	takes, does string
	examples    []string
	run         func(ctx context.Context, c call) error
}

func (c command) group() string {
	group, _, two := strings.Cut(c.name, " ")
	if !two {
		return ""
	}
	return group
}

// dispatch finds the command and runs it; no command at all is to serve.
func dispatch(ctx context.Context, c call) error {
	if len(c.args) > 1 && c.args[0] == "help" {
		c.args = append(slices.Clone(c.args[1:]), "--help")
	}
	if len(c.args) == 0 || c.args[0] == "help" || strings.HasPrefix(c.args[0], "-") {
		return withHelp(serve(ctx, c), top())
	}
	cmd, err := find(c.args)
	if err != nil {
		return err
	}
	c.args = c.args[len(strings.Fields(cmd.name)):]
	return withHelp(cmd.run(ctx, c), cmd.help())
}

// find is the command that args begin with, or the help of its group, or what
// is wrong with them.
func find(args []string) (command, error) {
	var words []string
	for _, cmd := range table() {
		first, second, _ := strings.Cut(cmd.name, " ")
		words = append(words, first)
		if first == args[0] && (second == "" || len(args) > 1 && second == args[1]) {
			return cmd, nil
		}
	}
	if !slices.Contains(words, args[0]) {
		return command{}, fmt.Errorf("%q is not a command%s; see signalbox help", args[0], config.DidYouMean(args[0], words))
	}
	return command{}, ofGroup(args)
}

func ofGroup(args []string) error {
	group := args[0]
	var verbs []string
	var b strings.Builder
	fmt.Fprintf(&b, "commands about %s\n\n", group)
	for _, cmd := range table() {
		if cmd.group() == group {
			verbs = append(verbs, strings.TrimPrefix(cmd.name, group+" "))
			b.WriteString(cmd.line())
		}
	}
	fmt.Fprintf(&b, "\nsignalbox %s VERB --help says more.\n", group)
	if len(args) == 1 || args[1] == "help" || strings.HasPrefix(args[1], "-") {
		return &config.Help{Usage: b.String()}
	}
	return fmt.Errorf("%q is not a command of %s%s; see signalbox %s", args[1], group, config.DidYouMean(args[1], verbs), group)
}

func (c command) line() string {
	return fmt.Sprintf("  %-42s %s\n", strings.TrimSpace("signalbox "+c.name+" "+c.takes), c.does)
}

// help is what comes before the list of flags.
func (c command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n  %s\n", c.does, strings.TrimSpace("signalbox "+c.name+" "+c.takes))
	if len(c.examples) > 0 {
		b.WriteString("\nExamples:\n\n")
	}
	for _, e := range c.examples {
		fmt.Fprintf(&b, "  signalbox %s %s\n", c.name, e)
	}
	b.WriteString("\n")
	return b.String()
}

// top is the help of the whole.
func top() string {
	var b strings.Builder
	b.WriteString("the gateway in one process: edge, API and dashboard\n\n")
	fmt.Fprintf(&b, "  %-42s %s\n", "signalbox", "run it")
	for _, cmd := range table() {
		b.WriteString(cmd.line())
	}
	b.WriteString("\nsignalbox COMMAND --help says more. Exit codes: 0 done, 1 refused or mistaken, 2 no service answers.\n" +
		"\nSettings of signalbox itself, as flags or environment variables:\n\n")
	return b.String()
}

// withHelp puts a text before the flags, if it was help that was asked for.
func withHelp(err error, text string) error {
	var help *config.Help
	if errors.As(err, &help) {
		return &config.Help{Usage: text + help.Usage}
	}
	return err
}
