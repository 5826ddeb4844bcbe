package cli

import "errors"

// exitUnreachable is the exit code if the service does not respond. Scripts may retry then.
const exitUnreachable = 2

// UnreachableError means that the service does not respond. Text also says what to do.
type UnreachableError struct{ Text string }

// Error returns the text.
func (u *UnreachableError) Error() string { return u.Text }

// ExitCode returns the exit code for the error of a command. code is the usual exit code
// for the error.
func ExitCode(err error, code int) int {
	if unreachable := (*UnreachableError)(nil); errors.As(err, &unreachable) {
		return exitUnreachable
	}
	return code
}
