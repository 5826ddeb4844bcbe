package keyauth

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// warnOpen tells of files that every user of the machine may read or change: a
// pepper and a store together prove keys. A group may have been given them on
// purpose.
func (c *Config) warnOpen(ctx context.Context, log *slog.Logger) {
	for _, path := range c.secretFiles() {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o007 != 0 {
			log.WarnContext(ctx, "a file of secrets is open to every user of this machine; it should have mode 0600",
				"file", path, "mode", info.Mode().Perm().String())
		}
	}
}

func (c *Config) secretFiles() []string {
	files := []string{c.pepperPath()}
	url, err := c.storeURL()
	if path, ok := strings.CutPrefix(url, sqldb.SQLiteURL("")); ok && err == nil {
		files = append(files, path)
	}
	return files
}
