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

// caFolder is the directory of the CA, next to the directories of the roles. Services do not
// read it; only Write does.
const caFolder = "ca"

func caFile(dir string) string            { return filepath.Join(dir, caFolder, "cert.pem") }
func caKeyFile(dir string) string         { return filepath.Join(dir, caFolder, "key.pem") }
func trustFile(dir, role string) string   { return filepath.Join(dir, role, "ca.pem") }
func leafFile(dir, role string) string    { return filepath.Join(dir, role, "cert.pem") }
func leafKeyFile(dir, role string) string { return filepath.Join(dir, role, "key.pem") }

// writePair writes a private key and then its certificate. The function move moves a finished
// temporary file to its path: os.Rename replaces an existing file, os.Link fails if the file exists.
func writePair(certFile, keyFile string, der []byte, key *ecdsa.PrivateKey, move func(from, to string) error) error {
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePEM(keyFile, "PRIVATE KEY", secret, modeKey, move); err != nil {
		return err
	}
	return writePEM(certFile, "CERTIFICATE", der, modeCert, move)
}

func writePEM(path, kind string, der []byte, mode os.FileMode, move func(from, to string) error) error {
	return writeFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode, move)
}

func writeFile(path string, content []byte, mode os.FileMode, move func(from, to string) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".certs-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(content)
	if err := errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return move(temp.Name(), path)
}
