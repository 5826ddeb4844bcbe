package certs

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// checkInterval is the minimum time between two checks of the files. Without it, every TLS
// handshake would access the disk.
const checkInterval = time.Second

// Identity is the certificate of one role, together with the CAs that the role trusts. It loads
// changed files by itself. It is safe for concurrent use.
type Identity struct {
	dir, role string

	mu        sync.Mutex
	current   *material
	seenFiles []os.FileInfo
	checkedAt time.Time
	// refreshErr is the reason why the last changed files were not loaded. It is nil if current
	// matches the files.
	refreshErr error
}

// Load reads ca.pem, cert.pem and key.pem in the role's directory below dir. Write creates these
// files. Load returns an error if it cannot read a file, or if the files can never work: the key
// or the CA does not match the certificate, or the certificate has another role. Load accepts an
// expired certificate, because the service may still be useful without its peers. Err reports the
// expiry.
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

// Err returns an error if peers reject the certificate or will soon reject it. There are two
// reasons: the certificate has expired, or the files have changed and are invalid. Invalid files
// are not loaded, so the previous certificate stays in use. Err reads files, so call it only for
// readiness checks and logs.
func (i *Identity) Err() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refresh()
	if i.refreshErr != nil {
		return i.refreshErr
	}
	return i.wrap(i.current.verifyOwn())
}

// Ends returns when the first certificate of the chain ends. It reads files, like Err.
func (i *Identity) Ends() time.Time {
	chain := i.currentMaterial().chain
	ends := chain[0].NotAfter
	for _, c := range chain[1:] {
		if c.NotAfter.Before(ends) {
			ends = c.NotAfter
		}
	}
	return ends
}

func (i *Identity) currentMaterial() *material {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refresh()
	return i.current
}

// refresh loads changed files, at most once per checkInterval. It stats the files before it reads
// them, so that the next check detects a change in between. After an error, every check reads the
// files again: the key may be new while the certificate is not written yet.
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

// statFiles returns one entry per file. The entry of a missing file is nil.
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

func (i *Identity) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("certificate of %s in %s: %w", i.role, i.dir, err)
}
