package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
)

// helpOrUnknownVerb returns the help of a group. If the word after the group is not one
// of its verbs, it returns an error.
func (p *Program) helpOrUnknownVerb(args []string) error {
	group := args[0]
	var verbs []string
	var b strings.Builder
	fmt.Fprintf(&b, "%s commands\n\n", group)
	for _, cmd := range p.allCommands() {
		if cmd.GroupName() == group {
			verbs = append(verbs, strings.TrimPrefix(cmd.Name, group+" "))
			b.WriteString(cmd.helpLine())
		}
	}
	fmt.Fprintf(&b, "\nRun signalbox %s VERB --help for flags and examples.\n", group)
	if len(args) == 1 || args[1] == "help" || strings.HasPrefix(args[1], "-") {
		return &config.Help{Usage: b.String()}
	}
	return fmt.Errorf("unknown command %q%s; see signalbox %s", group+" "+args[1], config.DidYouMean(args[1], verbs), group)
}

func (c Command) helpLine() string {
	return fmt.Sprintf("  %-42s %s\n", strings.TrimSpace("signalbox "+c.Name+" "+c.Arguments), c.Summary)
}

// helpText returns the part of a command's help that precedes the flags.
func (c Command) helpText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n\n  %s [FLAGS]\n", c.Summary, strings.TrimSpace("signalbox "+c.Name+" "+c.Arguments))
	if len(c.Examples) > 0 {
		b.WriteString("\nExamples:\n\n")
	}
	for _, e := range c.Examples {
		fmt.Fprintf(&b, "  %s\n", strings.TrimSpace("signalbox "+c.Name+" "+e))
	}
	b.WriteString("\nArguments and flags:\n\n")
	return b.String()
}

// rootHelp returns the help of signalbox itself, up to the list of settings.
func (p *Program) rootHelp() string {
	var b strings.Builder
	b.WriteString("a model routing gateway: API, router and dashboard in one process\n\nUsage:\n\n")
	fmt.Fprintf(&b, "  %-42s %s\n", "signalbox [SETTINGS]", "start the gateway")
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "\n%s:\n\n", s.Title)
		for _, cmd := range s.Commands {
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
