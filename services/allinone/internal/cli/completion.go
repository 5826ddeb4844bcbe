package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
)

// completeWord is the hidden command that the completion scripts call. Its arguments are the
// words of the command line, the last of which is to be completed.
const completeWord = "__complete"

// complete prints what the last word can become, one per line.
func (p *Program) complete(ctx context.Context, c Invocation, words []string) error {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	found := p.nextWords(before)
	if strings.HasPrefix(last, "-") {
		found = p.flagsOf(ctx, before)
	}
	for _, word := range found {
		if !strings.HasPrefix(word, last) {
			continue
		}
		if _, err := fmt.Fprintln(c.Out, word); err != nil {
			return err
		}
	}
	return nil
}

// nextWords returns the words of commands that can follow the given ones.
func (p *Program) nextWords(before []string) (all []string) {
	for _, cmd := range p.allCommands() {
		words := strings.Fields(cmd.Name)
		if len(words) > len(before) && slices.Equal(words[:len(before)], before) && !slices.Contains(all, words[len(before)]) {
			all = append(all, words[len(before)])
		}
	}
	return all
}

// flagsOf returns the flags of the command that the words begin with, else the settings of
// the gateway.
func (p *Program) flagsOf(ctx context.Context, before []string) (all []string) {
	run := p.Serve
	if len(before) > 0 && !strings.HasPrefix(before[0], "-") {
		cmd, err := p.findCommand(before)
		if err != nil {
			return nil
		}
		run = cmd.Run
	}
	for _, s := range helpOf(ctx, run).Settings {
		all = append(all, "--"+s.Name)
	}
	return all
}

// helpOf asks a command for its help.
func helpOf(ctx context.Context, run func(context.Context, Invocation) error) *config.Help {
	var help *config.Help
	err := run(ctx, Invocation{Args: []string{"--help"}, In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	if !errors.As(err, &help) {
		return &config.Help{}
	}
	return help
}

// completionScripts call the program itself, so that they never get old.
var completionScripts = map[string]string{
	"bash": `_signalbox() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _signalbox signalbox
`,
	"zsh": `#compdef signalbox
_signalbox() {
  local -a found
  found=("${(@f)$("$words[1]" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n $found ]] && compadd -- $found || _files
}
compdef _signalbox signalbox
`,
	"fish": `complete -c signalbox -a '(signalbox __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

// CompletionCommand returns the command that prints completion scripts.
func CompletionCommand() Command {
	return Command{
		Name: "completion", Arguments: "SHELL", Summary: "print a script that completes commands and flags: bash, zsh or fish",
		Examples: []string{"bash"},
		Run: func(_ context.Context, c Invocation) error {
			var shell string
			set := config.New()
			set.FlagsOnly(true)
			set.Argument(&shell, "SHELL", "bash, zsh or fish")
			if err := set.Load(c.Args, nil); err != nil {
				return err
			}
			script, ok := completionScripts[shell]
			if !ok {
				return fmt.Errorf("there is no completion for %q: use bash, zsh or fish", Sanitize(shell))
			}
			_, err := io.WriteString(c.Out, script)
			return err
		},
	}
}
