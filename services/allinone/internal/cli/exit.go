package cli

import (
	"context"
	"errors"
)

// exitUnreachable is the exit code if the service does not respond. Scripts may retry then.
const exitUnreachable = 2

// UnreachableError means that the service does not respond. Text also says what to do.
type UnreachableError struct{ Text string }

// Error returns the text.
func (u *UnreachableError) Error() string { return u.Text }

// interruptedError means that a signal ended a command before it was done. It does not match
// context.Canceled, because a process that a signal stops exits with success.
type interruptedError struct{ cause error }

// Error says that the command is not done.
func (e *interruptedError) Error() string {
	return "interrupted before it was done: " + e.cause.Error()
}

// reportInterruption makes an interrupted command fail, so that a script does not take an incomplete
// backup or export for a complete one.
func reportInterruption(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return &interruptedError{err}
	}
	return err
}

// ExitCode returns the exit code for the error of a command. code is the usual exit code
// for the error.
func ExitCode(err error, code int) int {
	if unreachable := (*UnreachableError)(nil); errors.As(err, &unreachable) {
		return exitUnreachable
	}
	return code
}
