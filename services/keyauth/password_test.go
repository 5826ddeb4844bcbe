package keyauth_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
)

// The tests of account hash passwords with less memory. The service must not.
func TestPasswordHashesTake46MiB(t *testing.T) {
	cfg := keyauth.Config{Data: t.TempDir(), Registration: "open"}
	withService(t, cfg, func(_ keyauthv1.KeyAuthServiceClient, accounts keyauthv1.AccountServiceClient) {
		_, err := accounts.Register(t.Context(), &keyauthv1.RegisterRequest{Email: "ada@example.com", Password: "correct horse"})
		require.NoError(t, err)
	})
	s, err := store.Open(t.Context(), sqldb.SQLiteURL(filepath.Join(cfg.Data, "keyauth.db")))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ada, err := s.UserByEmail(t.Context(), "ada@example.com")
	require.NoError(t, err)
	require.Contains(t, ada.PasswordHash, "$m=47104,")
}
