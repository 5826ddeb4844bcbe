package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// ErrCannotConfirm means that the command needs a confirmation, but no user can give it, for example in a script.
var ErrCannotConfirm = errors.New("cannot ask for confirmation here; add --yes to confirm")

// AddYesFlag adds --yes, which answers Confirm.
func (o *Command) AddYesFlag() {
	o.Flags.Bool(&o.yes, "yes", false, "do not ask for confirmation")
}

// Confirm asks the user before a change that cannot be undone. It returns nil only if the
// user agrees or --yes is set.
func (o *Command) Confirm(ctx context.Context, question string) error {
	question = cli.Sanitize(question)
	if o.yes {
		return nil
	}
	if !o.Interactive {
		return fmt.Errorf("%w: %s", ErrCannotConfirm, question)
	}
	_, _ = fmt.Fprint(o.Err, question+" [y/N] ")
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(o.In).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		if line == "" {
			_, _ = fmt.Fprintln(o.Err)
			return ErrCannotConfirm
		}
	case <-ctx.Done():
	}
	return errors.New("nothing was changed")
}
