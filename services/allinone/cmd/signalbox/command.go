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

// invocation holds the arguments, the environment and the standard streams of a command.
type invocation struct {
	args, environ []string
	in            io.Reader
	out, err      io.Writer
	// interactive is true if in is a terminal where a user can answer questions.
	interactive bool
}

// command is one command. The help and dispatch use the same table of commands.
type command struct {
	// name is one word, or two words for a command in a group.
	name string
	// arguments is the usage text of the arguments, such as "[NAME]".
	arguments string
	// summary is the one-line description in the help.
	summary  string
	examples []string
	run      func(ctx context.Context, c invocation) error
}

func (c command) groupName() string {
	group, _, hasVerb := strings.Cut(c.name, " ")
	if !hasVerb {
		return ""
	}
	return group
}

// dispatch finds the command and runs it. Without a command it starts the gateway.
func dispatch(ctx context.Context, c invocation) error {
	if len(c.args) > 1 && c.args[0] == "help" {
		c.args = append(slices.Clone(c.args[1:]), "--help")
	}
	if len(c.args) == 0 || c.args[0] == "help" || strings.HasPrefix(c.args[0], "-") {
		return withHelp(serve(ctx, c), rootHelp())
	}
	cmd, err := findCommand(c.args)
	if err != nil {
		return err
	}
	c.args = c.args[len(strings.Fields(cmd.name)):]
	return withHelp(cmd.run(ctx, c), cmd.helpText())
}

// findCommand returns the command at the start of args. If args contain only the name
// of a group, findCommand returns the help of this group as an error.
func findCommand(args []string) (command, error) {
	var words []string
	for _, cmd := range allCommands() {
		first, second, _ := strings.Cut(cmd.name, " ")
		words = append(words, first)
		if first == args[0] && (second == "" || len(args) > 1 && second == args[1]) {
			return cmd, nil
		}
	}
	if !slices.Contains(words, args[0]) {
		return command{}, fmt.Errorf("unknown command %q%s; see signalbox help", args[0], config.DidYouMean(args[0], words))
	}
	return command{}, helpOrUnknownVerb(args)
}

// helpOrUnknownVerb returns the help of a group. If the word after the group is not one
// of its verbs, it returns an error.
func helpOrUnknownVerb(args []string) error {
	group := args[0]
	var verbs []string
	var b strings.Builder
	fmt.Fprintf(&b, "%s commands\n\n", group)
	for _, cmd := range allCommands() {
		if cmd.groupName() == group {
			verbs = append(verbs, strings.TrimPrefix(cmd.name, group+" "))
			b.WriteString(cmd.helpLine())
		}
	}
	fmt.Fprintf(&b, "\nRun signalbox %s VERB --help for flags and examples.\n", group)
	if len(args) == 1 || args[1] == "help" || strings.HasPrefix(args[1], "-") {
		return &config.Help{Usage: b.String()}
	}
	return fmt.Errorf("unknown command %q%s; see signalbox %s", group+" "+args[1], config.DidYouMean(args[1], verbs), group)
}

func (c command) helpLine() string {
	return fmt.Sprintf("  %-42s %s\n", strings.TrimSpace("signalbox "+c.name+" "+c.arguments), c.summary)
}

// helpText returns the part of a command's help that precedes the flags.
func (c command) helpText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n\n  %s [FLAGS]\n", c.summary, strings.TrimSpace("signalbox "+c.name+" "+c.arguments))
	if len(c.examples) > 0 {
		b.WriteString("\nExamples:\n\n")
	}
	for _, e := range c.examples {
		fmt.Fprintf(&b, "  %s\n", strings.TrimSpace("signalbox "+c.name+" "+e))
	}
	b.WriteString("\nArguments and flags:\n\n")
	return b.String()
}

// rootHelp returns the help of signalbox itself, up to the list of settings.
func rootHelp() string {
	var b strings.Builder
	b.WriteString("a model routing gateway: API, router and dashboard in one process\n\nUsage:\n\n")
	fmt.Fprintf(&b, "  %-42s %s\n", "signalbox [SETTINGS]", "start the gateway")
	for _, s := range commandSections() {
		fmt.Fprintf(&b, "\n%s:\n\n", s.title)
		for _, cmd := range s.commands {
			b.WriteString(cmd.helpLine())
		}
	}
	b.WriteString("\nRun signalbox COMMAND --help for flags and examples.\n" +
		"Exit codes: 0 success, 1 error, 2 the service cannot be reached.\n" +
		"\nSettings of the gateway, as flags or environment variables:\n\n")
	return b.String()
}

// withHelp puts text before the flags if err is a request for help.
func withHelp(err error, text string) error {
	var help *config.Help
	if errors.As(err, &help) {
		return &config.Help{Usage: text + help.Usage}
	}
	return err
}
