package allinone

import (
	"os"
	"path/filepath"
	"strings"
)

// addressName is where the command line finds how people reach this process.
const addressName = "address"

// Address is how people reach the process that runs on a data directory, or
// empty when none does.
func Address(data string) string {
	b, _ := os.ReadFile(filepath.Join(data, addressName))
	return strings.TrimSpace(string(b))
}

// tellAddress is for links that the command line makes.
func (p *whole) tellAddress() error {
	path := filepath.Join(p.cfg.Data, addressName)
	if err := os.WriteFile(path, []byte(p.publicURL()+"\n"), 0o600); err != nil {
		return err
	}
	p.closers = append(p.closers, func() error { return os.Remove(path) })
	return nil
}
