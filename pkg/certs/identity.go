package certs

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// checkInterval limits how often the files are checked, so that not every handshake reads
// files.
const checkInterval = time.Second

// Identity is the certificate of a role with the CAs that it trusts. It follows changes of the
// files and is safe for concurrent use.
type Identity struct {
	dir, role string

	mu        sync.Mutex
	current   *material
	seenFiles []os.FileInfo
	checkedAt time.Time
	// refreshErr is why the changed files are not in use; nil if current matches the files.
	refreshErr error
}

// Load reads ca.pem, cert.pem and key.pem in the role's directory below dir, as Write creates
// them. It returns an error for files that can never work: a key or CA that does not match the
// certificate, or a certificate of another role. It accepts an expired certificate, because
// the service may still be useful without its peers; Err reports the expiry.
func Load(dir, role string) (*Identity, error) {
	if err := checkRole(role); err != nil {
		return nil, err
	}
	i := &Identity{dir: dir, role: role, checkedAt: time.Now()}
	i.seenFiles = i.statFiles()
	m, err := readMaterial(dir, role)
	if err == nil {
		err = m.verifyOwn()
	}
	if err != nil && !isExpired(err) {
		return nil, i.wrap(err)
	}
	i.current = m
	return i, nil
}

// Err returns why peers reject the certificate or will do so soon. Either the certificate has
// expired, or the files have changed and are invalid, so that the previous certificate stays in
// use. Err reads files; call it for readiness checks and logs.
func (i *Identity) Err() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refresh()
	if i.refreshErr != nil {
		return i.refreshErr
	}
	return i.wrap(i.current.verifyOwn())
}

func (i *Identity) currentMaterial() *material {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refresh()
	return i.current
}

// refresh loads changed files. It stats the files before it reads them, so that the next call
// finds a change in between. It reads invalid files again on each call, because the other file
// of a pair may not be written yet.
func (i *Identity) refresh() {
	if time.Since(i.checkedAt) < checkInterval {
		return
	}
	i.checkedAt = time.Now()
	now := i.statFiles()
	if i.refreshErr == nil && slices.EqualFunc(i.seenFiles, now, sameFile) {
		return
	}
	i.seenFiles = now
	m, err := readMaterial(i.dir, i.role)
	if err == nil {
		err = m.verifyOwn()
	}
	if i.refreshErr = i.wrap(err); err == nil {
		i.current = m
	}
}

// statFiles returns the state of the files, with nil for a missing file.
func (i *Identity) statFiles() []os.FileInfo {
	var infos []os.FileInfo
	for _, f := range []string{trustFile(i.dir, i.role), leafFile(i.dir, i.role), leafKeyFile(i.dir, i.role)} {
		info, err := os.Stat(f)
		if err != nil {
			info = nil
		}
		infos = append(infos, info)
	}
	return infos
}

func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// wrap adds the role and the directory to an error; nil stays nil.
func (i *Identity) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("certificate of %s in %s: %w", i.role, i.dir, err)
}
