package certs

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// checkEvery is how soon a renewed certificate is taken up; less often than
// handshakes, so that a storm of them does not become one of file reads.
const checkEvery = time.Second

// Identity is a role's certificate and the CA it trusts, kept fresh from
// files. It is safe for concurrent use.
type Identity struct {
	dir, role string

	mu      sync.Mutex
	current *material
	seen    []os.FileInfo
	checked time.Time
	// err is why current is older than the files.
	err error
}

// Load reads ca.pem, cert.pem and key.pem in the role's folder below dir, as
// Write makes them; nothing else need be there. It refuses what could never
// work: a key or a CA that does not belong to the certificate, or a certificate
// of another role. One that has expired is taken, because a service may be of
// use while its peers refuse it; Err tells.
func Load(dir, role string) (*Identity, error) {
	if err := checkRole(role); err != nil {
		return nil, err
	}
	i := &Identity{dir: dir, role: role, checked: time.Now()}
	i.seen = i.stat()
	m, err := read(dir, role)
	if err == nil {
		err = m.verify()
	}
	if err != nil && !expired(err) {
		return nil, i.wrap(err)
	}
	i.current = m
	return i, nil
}

// Err is why peers refuse the certificate in use or soon will: it has expired,
// or the files have changed and cannot be used, so that the former one is
// kept. It reads files and is meant for readiness and logs, not for clients.
func (i *Identity) Err() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refresh()
	if i.err != nil {
		return i.err
	}
	return i.wrap(i.current.verify())
}

func (i *Identity) fresh() *material {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refresh()
	return i.current
}

// refresh takes up changed files. It looks at the files before it reads them,
// so that a change in between is found the next time; and files that cannot be
// used are read again each time, as the other half of a pair may be on its way.
func (i *Identity) refresh() {
	if time.Since(i.checked) < checkEvery {
		return
	}
	i.checked = time.Now()
	now := i.stat()
	if i.err == nil && slices.EqualFunc(i.seen, now, sameFile) {
		return
	}
	i.seen = now
	m, err := read(i.dir, i.role)
	if err == nil {
		err = m.verify()
	}
	if i.err = i.wrap(err); err == nil {
		i.current = m
	}
}

// stat has nil for a file that is not there.
func (i *Identity) stat() []os.FileInfo {
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

// wrap says whose files they were; nil stays nil.
func (i *Identity) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("certificate of %s in %s: %w", i.role, i.dir, err)
}
