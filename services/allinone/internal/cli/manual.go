package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
)

// ManualCommand returns the command that prints the manual page of the program. program is
// called when the command runs, because it contains this command.
func ManualCommand(program func() *Program) Command {
	return Command{
		Name: "manual", Summary: "print the manual page; man -l - shows it",
		Run: func(ctx context.Context, c Invocation) error {
			set := config.New()
			set.FlagsOnly(true)
			if err := set.Load(c.Args, nil); err != nil {
				return err
			}
			_, err := io.WriteString(c.Out, program().manual(ctx, c.Version))
			return err
		},
	}
}

// manual returns the manual page in the format of man(7).
func (p *Program) manual(ctx context.Context, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH SIGNALBOX 1 \"\" \"Signalbox %s\"\n", escapeMan(version))
	b.WriteString(".SH NAME\nsignalbox \\- a model routing gateway\n.SH SYNOPSIS\n.B signalbox\n[\\fISETTINGS\\fR]\n.br\n.B signalbox\n\\fICOMMAND\\fR [\\fIFLAGS\\fR]\n")
	b.WriteString(".SH DESCRIPTION\nWithout a command, signalbox starts the gateway: API, router and dashboard in one process.\n")
	b.WriteString(".SH SETTINGS\nEvery setting is a flag and an environment variable.\n")
	writeManFlags(&b, helpOf(ctx, p.Serve))
	for _, s := range p.Sections {
		fmt.Fprintf(&b, ".SH %s\n", escapeMan(strings.ToUpper(s.Title)))
		for _, cmd := range s.Commands {
			cmd.writeMan(ctx, &b)
		}
	}
	b.WriteString(".SH EXIT STATUS\n0 success, 1 error, 2 the service cannot be reached.\n")
	return b.String()
}

func (c Command) writeMan(ctx context.Context, b *strings.Builder) {
	fmt.Fprintf(b, ".SS signalbox %s\n%s.\n", escapeMan(strings.TrimSpace(c.Name+" "+c.Arguments)), escapeMan(c.Summary))
	writeManFlags(b, helpOf(ctx, c.Run))
	for _, e := range c.Examples {
		fmt.Fprintf(b, ".PP\n.RS\nsignalbox %s\n.RE\n", escapeMan(strings.TrimSpace(c.Name+" "+e)))
	}
}

func writeManFlags(b *strings.Builder, help *config.Help) {
	for _, s := range help.Settings {
		fmt.Fprintf(b, ".TP\n.B \\-\\-%s\n%s", escapeMan(s.Name), escapeMan(s.Usage))
		if s.Env != "" {
			fmt.Fprintf(b, " (%s)", escapeMan(s.Env))
		}
		b.WriteString("\n")
	}
}

// escapeMan escapes what man(7) would interpret.
func escapeMan(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
