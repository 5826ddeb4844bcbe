package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
	"github.com/signalbox/signalbox/services/keyauth/internal/store/storetest"
)

// BenchmarkVerify measures the store's part of verifying a key that is in no cache,
// among 2,000 keys.
func BenchmarkVerify(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkVerify(b, storetest.SQLiteURL(b)) })
	b.Run("postgres", func(b *testing.B) { benchmarkVerify(b, storetest.LoginURL(b)) })
	b.Run("postgres unfenced", func(b *testing.B) { benchmarkVerify(b, testenv.Postgres(b)) })
}

func benchmarkVerify(b *testing.B, url string) {
	s, err := store.Open(b.Context(), url)
	require.NoError(b, err)
	defer func() { require.NoError(b, s.Close()) }()
	mac := func(n int) []byte { return fmt.Appendf(nil, "%032d", n) }
	a := access.Account{ID: uuid.NewString(), Name: "a", CreatedAt: time.Now()}
	require.NoError(b, s.Write(b.Context(), func(tx account.Tx) error {
		err := tx.SaveAccount(b.Context(), a)
		for n := 0; n < 2_000 && err == nil; n++ {
			err = tx.SaveKey(b.Context(), keyring.Key{ID: uuid.NewString(), AccountID: a.ID, MAC: mac(n), CreatedAt: a.CreatedAt})
		}
		return err
	}))
	n := 0
	for b.Loop() {
		n = (n + 7919) % 2_000
		_, err := s.CredentialByMAC(b.Context(), mac(n))
		require.NoError(b, err)
	}
}
