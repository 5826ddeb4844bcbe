package testenv

import (
	"os"
	"path/filepath"
)

// EnableTLS gives a server of StartPostgresPair a certificate and its key, in PEM format.
func (p *PostgresPair) EnableTLS(certificate, key []byte) error {
	cred, err := postgresUser()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"server.crt": certificate, "server.key": key} {
		path := filepath.Join(p.primary.dataDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
		if cred != nil {
			if err := os.Chown(path, int(cred.Uid), int(cred.Gid)); err != nil {
				return err
			}
		}
	}
	return firstError(p.primary.exec("ALTER SYSTEM SET ssl = on"), p.primary.exec("SELECT pg_reload_conf()"))
}
