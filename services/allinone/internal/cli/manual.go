package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
)

var nonASCII = regexp.MustCompile(`[^\x00-\x7f]`)

// Service is a service with a binary of its own. It has a manual page, too.
type Service struct {
	// Name is the role of the service, such as proxy. Packages call its binary signalbox-proxy.
	Name, Summary string
	// Settings returns the *config.Help of the binary as an error.
	Settings func() error
}

// ManualCommand returns the command that prints the manual page of the program, or of a service.
// program is called when the command runs, because it contains this command.
func ManualCommand(program func() *Program, services []Service) Command {
	return Command{
		Name: "manual", Arguments: "[SERVICE]", Summary: "print the manual page of signalbox or of one service; man -l - shows it",
		Examples: []string{"| man -l -", "proxy | man -l -"},
		Run: func(ctx context.Context, c Invocation) error {
			var name string
			set := config.New()
			set.FlagsOnly(true)
			set.Optional(&name, "[SERVICE]", "proxy, router, keyauth or dashboard; without it, the page of signalbox")
			if err := set.Load(c.Args, nil); err != nil {
				return err
			}
			page, err := manualPage(ctx, program, services, name, c.Version)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.Out, page)
			return err
		},
	}
}

func manualPage(ctx context.Context, program func() *Program, services []Service, name, version string) (string, error) {
	if name == "" {
		return program().manual(ctx, version), nil
	}
	for _, s := range services {
		if s.Name == name {
			return s.manual(version)
		}
	}
	return "", fmt.Errorf("there is no service %q", Sanitize(name))
}

// manual returns the manual page of a service.
func (s Service) manual(version string) (string, error) {
	var help *config.Help
	if err := s.Settings(); !errors.As(err, &help) {
		return "", fmt.Errorf("settings of %s: %w", s.Name, err)
	}
	var b strings.Builder
	full := "signalbox-" + s.Name
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"Signalbox %s\"\n", escapeMan(strings.ToUpper(full)), escapeMan(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escapeMan(full), escapeMan(s.Summary))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n[\\fISETTINGS\\fR]\n", escapeMan(full))
	b.WriteString(".SH SETTINGS\nEvery setting is a flag and an environment variable.\n")
	writeManFlags(&b, help)
	b.WriteString(".SH EXIT STATUS\n0 success, 1 error.\n.SH SEE ALSO\n.BR signalbox (1)\n")
	return b.String(), nil
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

// escapeMan escapes what man(7) would interpret. The page is ASCII, so that it needs no encoding.
func escapeMan(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	text = nonASCII.ReplaceAllStringFunc(text, func(r string) string { return fmt.Sprintf(`\[u%04X]`, []rune(r)[0]) })
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
