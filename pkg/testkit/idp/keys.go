package idp

import (
	"crypto/rand"
	"crypto/rsa"
	"sync"
	"testing"
)

// free holds the keys of ended tests. A new key takes a tenth of a second, with the race detector several.
var free struct {
	mu   sync.Mutex
	keys []*rsa.PrivateKey
}

// borrowKey returns a key that no one else has until the test ends.
func borrowKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key := takeFreeKey()
	if key == nil {
		var err error
		if key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			t.Error(err) // not FailNow, because the caller may be a goroutine of the server
		}
	}
	t.Cleanup(func() { giveBack(key) })
	return key
}

// takeFreeKey returns nil if there is none.
func takeFreeKey() *rsa.PrivateKey {
	free.mu.Lock()
	defer free.mu.Unlock()
	last := len(free.keys) - 1
	if last < 0 {
		return nil
	}
	key := free.keys[last]
	free.keys = free.keys[:last]
	return key
}

func giveBack(key *rsa.PrivateKey) {
	free.mu.Lock()
	defer free.mu.Unlock()
	free.keys = append(free.keys, key)
}
