package keyauth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/signalbox/signalbox/pkg/seal"
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
	pepper, err := seal.ReadKey(path, account.PepperLen)
	if err != nil {
		return nil, fmt.Errorf("read pepper: %w", err)
	}
	return pepper, nil
}

func createPepper(path string) ([]byte, error) {
	pepper := make([]byte, account.PepperLen)
	_, _ = rand.Read(pepper) // never returns an error: it crashes the process instead
	if err := seal.CreateOnce(path, pepper); err != nil {
		return nil, fmt.Errorf("create pepper: %w", err)
	}
	return readPepper(path)
}
