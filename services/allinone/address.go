package allinone

import (
	"os"
	"path/filepath"
	"strings"
)

// addressFile is the file in the data directory that holds the public URL of the running process.
const addressFile = "address"

// ReadAddress returns the public URL of the process that uses a data directory.
// It returns an empty string if no process is running. After a crash the file
// remains, so the URL may be out of date.
func ReadAddress(data string) string {
	b, _ := os.ReadFile(filepath.Join(data, addressFile))
	return strings.TrimSpace(string(b))
}

// writeAddressFile stores the public URL, so that commands can build links.
func (p *gateway) writeAddressFile() error {
	path := filepath.Join(p.cfg.Data, addressFile)
	if err := os.WriteFile(path, []byte(p.publicURL()+"\n"), 0o600); err != nil {
		return err
	}
	p.closers = append(p.closers, func() error { return os.Remove(path) })
	return nil
}
