package cli

import (
	"errors"
	"strings"
)

// NonEmpty parses a flag that must not be empty. Otherwise an unset variable in a script
// would have the same effect as a missing flag.
func NonEmpty(p *string) func(string) error {
	return func(v string) error {
		if strings.TrimSpace(v) == "" {
			return errors.New("is empty; set a value or remove the flag")
		}
		*p = v
		return nil
	}
}
