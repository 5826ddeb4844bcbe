package keyauth

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// warnReadableSecrets logs a warning for each secret file that every local user can
// access. With the pepper and the store, an attacker can test guessed keys without
// any rate limit. Group access causes no warning, because an operator may have
// granted it on purpose.
func (c *Config) warnReadableSecrets(ctx context.Context, log *slog.Logger) {
	for _, path := range c.secretFiles() {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o007 != 0 {
			log.WarnContext(ctx, "secret file is accessible to every user of this machine; set its mode to 0600",
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
