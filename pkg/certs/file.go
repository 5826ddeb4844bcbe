package certs

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
)

const (
	modeFolder = 0o700
	modeCert   = 0o644
	modeKey    = 0o600
)

// caFolder is beside those of the roles. Nothing but the making of
// certificates needs it.
const caFolder = "ca"

func caFile(dir string) string            { return filepath.Join(dir, caFolder, "cert.pem") }
func caKeyFile(dir string) string         { return filepath.Join(dir, caFolder, "key.pem") }
func trustFile(dir, role string) string   { return filepath.Join(dir, role, "ca.pem") }
func leafFile(dir, role string) string    { return filepath.Join(dir, role, "cert.pem") }
func leafKeyFile(dir, role string) string { return filepath.Join(dir, role, "key.pem") }

// writePair writes a key and then its certificate. Place gives a finished file
// its name: os.Rename replaces what is there, os.Link refuses to.
func writePair(certFile, keyFile string, der []byte, key *ecdsa.PrivateKey, place func(from, to string) error) error {
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePEM(keyFile, "PRIVATE KEY", secret, modeKey, place); err != nil {
		return err
	}
	return writePEM(certFile, "CERTIFICATE", der, modeCert, place)
}

func writePEM(path, kind string, der []byte, mode os.FileMode, place func(from, to string) error) error {
	return writeFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode, place)
}

func writeFile(path string, content []byte, mode os.FileMode, place func(from, to string) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".certs-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(content)
	if err := errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return place(temp.Name(), path)
}
