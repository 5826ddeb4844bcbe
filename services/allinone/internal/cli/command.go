package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
)

// Invocation holds the arguments, the environment and the standard streams of a command.
type Invocation struct {
	Args, Environ []string
	In            io.Reader
	Out, Err      io.Writer
	// Interactive is true if In is a terminal where a user can answer questions.
	Interactive bool
	// Version is the version of this binary. Commit and CommitTime are empty if the build did not
	// set them.
	Version, Commit, CommitTime string
}

// Command is one command. The help and Dispatch use the same table of commands.
type Command struct {
	// Name is one word, or two words for a command in a group.
	Name string
	// Arguments is the usage text of the arguments, such as "[NAME]".
	Arguments string
	// Summary is the one-line description in the help.
	Summary  string
	Examples []string
	Run      func(ctx context.Context, c Invocation) error
}

// Section is a list of commands under one title of the help.
type Section struct {
	Title    string
	Commands []Command
}

// Program is the command line of a binary.
type Program struct {
	// Sections lists all commands in the order of the help. Some commands are also a group,
	// such as "limits". Such a command comes after the commands of its group, because the
	// first match runs.
	Sections []Section
	// Serve starts the gateway. It runs if the arguments name no command.
	Serve func(ctx context.Context, c Invocation) error
}

func (p *Program) allCommands() []Command {
	var all []Command
	for _, s := range p.Sections {
		all = append(all, s.Commands...)
	}
	return all
}

// GroupName returns the first word of a two-word name, otherwise "".
func (c Command) GroupName() string {
	group, _, hasVerb := strings.Cut(c.Name, " ")
	if !hasVerb {
		return ""
	}
	return group
}

// Dispatch finds the command and runs it. Without a command it starts the gateway.
func (p *Program) Dispatch(ctx context.Context, c Invocation) error {
	if len(c.Args) > 0 && c.Args[0] == completeWord {
		return p.complete(ctx, c, c.Args[1:])
	}
	if len(c.Args) > 1 && c.Args[0] == "help" {
		c.Args = append(slices.Clone(c.Args[1:]), "--help")
	}
	if len(c.Args) == 0 || c.Args[0] == "help" || strings.HasPrefix(c.Args[0], "-") {
		return withHelp(p.Serve(ctx, c), p.rootHelp())
	}
	cmd, err := p.findCommand(c.Args)
	if err != nil {
		return err
	}
	c.Args = c.Args[len(strings.Fields(cmd.Name)):]
	return withHelp(reportInterruption(ctx, cmd.Run(ctx, c)), cmd.helpText())
}

// findCommand returns the command at the start of args. If args contain only the name
// of a group, findCommand returns the help of this group as an error.
func (p *Program) findCommand(args []string) (Command, error) {
	var words []string
	for _, cmd := range p.allCommands() {
		first, second, _ := strings.Cut(cmd.Name, " ")
		words = append(words, first)
		if first == args[0] && (second == "" || len(args) > 1 && second == args[1]) {
			return cmd, nil
		}
	}
	if !slices.Contains(words, args[0]) {
		return Command{}, fmt.Errorf("unknown command %q%s; see signalbox help", args[0], config.DidYouMean(args[0], words))
	}
	return Command{}, p.helpOrUnknownVerb(args)
}
