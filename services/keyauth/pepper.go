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

// loadPepper reads the pepper file, or creates it for a store that never had a
// pepper. The store holds a check value of its pepper. With a different pepper,
// every key would be rejected. So loadPepper returns an error for a mismatch.
func loadPepper(ctx context.Context, path string, s *store.Store) ([]byte, error) {
	pinned, err := s.PepperCheck(ctx)
	if err != nil {
		return nil, fmt.Errorf("read store: %w", err)
	}
	pepper, err := readPepper(path)
	if errors.Is(err, fs.ErrNotExist) {
		if pinned != nil {
			return nil, fmt.Errorf("pepper file %s is missing: restore it from a backup, because stored keys do not work without it", path)
		}
		pepper, err = createPepper(path)
	}
	if err != nil {
		return nil, err
	}
	want := pepperCheck(pepper)
	pinned, err = s.PinPepper(ctx, want)
	if err != nil {
		return nil, fmt.Errorf("write store: %w", err)
	}
	if !hmac.Equal(pinned, want) {
		return nil, fmt.Errorf("pepper file %s does not belong to this store: restore the file that was used to create its keys", path)
	}
	return pepper, nil
}

// pepperCheck returns a value that identifies a pepper without revealing it.
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
		return nil, fmt.Errorf("read pepper: %s has %d bytes, want at least %d", path, len(pepper), account.PepperLen)
	}
	return pepper, nil
}

// createPepper never leaves an incomplete file. If two processes call it at the
// same time, both use the file that was created first.
func createPepper(path string) ([]byte, error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".pepper-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("create pepper: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	if err := writePepper(temp); err != nil {
		return nil, fmt.Errorf("create pepper: %w", err)
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("create pepper: %w", err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("create pepper: %w", err)
	}
	return readPepper(path)
}

func writePepper(f *os.File) error {
	pepper := make([]byte, account.PepperLen)
	_, _ = rand.Read(pepper) // never returns an error: it crashes the process instead
	_, err := f.Write(pepper)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir makes a new directory entry survive a crash.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
