package certs

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// WarnBefore is how long before the end of a certificate services and commands warn.
const WarnBefore = 30 * 24 * time.Hour

// Expiry says when a certificate ends.
type Expiry struct {
	// Role is a role, or "ca".
	Role string
	Ends time.Time
}

// Expiries returns when the CA and the certificates of all roles in dir end, the first to end
// first. It skips missing ones: a service has only the certificate of its own role.
func Expiries(dir string) ([]Expiry, error) {
	files := map[string]string{caFolder: caFile(dir)}
	for _, role := range Roles() {
		files[role] = leafFile(dir, role)
	}
	var all []Expiry
	for role, path := range files {
		ends, err := readExpiry(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("certificate of %s: %w", role, err)
		}
		all = append(all, Expiry{Role: role, Ends: ends})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s contains no certificates", dir)
	}
	slices.SortFunc(all, func(a, b Expiry) int { return cmp.Or(a.Ends.Compare(b.Ends), cmp.Compare(a.Role, b.Role)) })
	return all, nil
}

// readExpiry returns when the first certificate of a file ends. During a change of the CA, a file
// has several, of which the first is in use.
func readExpiry(path string) (time.Time, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return time.Time{}, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return time.Time{}, errors.New("the file is not in PEM format")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}, err
	}
	return cert.NotAfter, nil
}

// EndsSoon returns an error during the last 30 days of the certificate.
func (i *Identity) EndsSoon() error {
	ends := i.Ends()
	if time.Until(ends) > WarnBefore {
		return nil
	}
	return fmt.Errorf("the certificate of %s ends at %s: run signalbox certs again", i.role, ends.UTC().Format(time.RFC3339))
}
