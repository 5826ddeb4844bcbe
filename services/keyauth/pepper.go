package keyauth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
)

// loadPepper reads the pepper, or makes one for a store that never had any.
// The store pins a proof of it: with another pepper every key would be
// unknown, which must show at the start and not at the first request.
func loadPepper(ctx context.Context, path string, s *store.Store) ([]byte, error) {
	pinned, err := s.PepperCheck(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the store: %w", err)
	}
	pepper, err := readPepper(path)
	if errors.Is(err, fs.ErrNotExist) {
		if pinned != nil {
			return nil, fmt.Errorf("pepper file %s is missing; no stored key works without it: restore it", path)
		}
		pepper, err = createPepper(path)
	}
	if err != nil {
		return nil, err
	}
	want := pepperCheck(pepper)
	pinned, err = s.PinPepper(ctx, want)
	if err != nil {
		return nil, fmt.Errorf("write the store: %w", err)
	}
	if !hmac.Equal(pinned, want) {
		return nil, fmt.Errorf("pepper file %s is not the one that the store's keys were made with", path)
	}
	return pepper, nil
}

// pepperCheck proves a pepper without telling it.
func pepperCheck(pepper []byte) []byte {
	h := hmac.New(sha256.New, pepper)
	h.Write([]byte("signalbox pepper check"))
	return h.Sum(nil)
}

func readPepper(path string) ([]byte, error) {
	pepper, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read pepper: %w", err)
	}
	if len(pepper) < account.PepperLen {
		return nil, fmt.Errorf("pepper file %s has %d bytes, want at least %d", path, len(pepper), account.PepperLen)
	}
	return pepper, nil
}

// createPepper makes the file whole or not at all, and never replaces one that
// another process made at the same moment: whoever comes second reads it.
func createPepper(path string) ([]byte, error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".pepper-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("make pepper: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	if err := writePepper(temp); err != nil {
		return nil, fmt.Errorf("make pepper: %w", err)
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make pepper: %w", err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("make pepper: %w", err)
	}
	return readPepper(path)
}

func writePepper(f *os.File) error {
	pepper := make([]byte, account.PepperLen)
	_, _ = rand.Read(pepper) // never fails: it ends the process instead
	_, err := f.Write(pepper)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir makes a new name in a directory survive a crash.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
