package cli

import "os"

// IsInteractive reports whether f is a terminal where a user can answer a question. It
// returns false for the null device, which cron jobs have as standard input.
func IsInteractive(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
