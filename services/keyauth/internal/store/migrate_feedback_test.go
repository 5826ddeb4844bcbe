package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
)

// Keys that were created before the scope existed can send feedback, and proxies learn of
// it. A key that may not send requests stays as it is.
func TestExistingKeysMaySendFeedback(t *testing.T) {
	eachURL(t, func(t *testing.T, url string) {
		old, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		scopes := [][]string{nil, {"chat"}, {"models", "embeddings"}, {"models"}, {"chat", "feedback"}}
		want := [][]string{nil, {"chat", "feedback"}, {"models", "embeddings", "feedback"}, {"models"}, {"chat", "feedback"}}
		var accounts []access.Account
		var ids []string
		for i := range scopes {
			a := access.Account{ID: uuid.NewString(), Name: fmt.Sprint("acc", i), CreatedAt: time.UnixMicro(1)}
			k := keyring.Key{
				ID: uuid.NewString(), AccountID: a.ID, MAC: fmt.Append(nil, i), CreatedAt: time.UnixMicro(1),
				Settings: setting.Key{Name: "k", Scopes: scopes[i]},
			}
			require.NoError(t, old.Write(t.Context(), func(tx account.Tx) error {
				if err := tx.SaveAccount(t.Context(), a); err != nil {
					return err
				}
				return tx.SaveKey(t.Context(), k)
			}))
			accounts, ids = append(accounts, a), append(ids, k.ID)
		}
		before, err := old.Head(t.Context())
		require.NoError(t, err)
		require.NoError(t, old.UndoFeedbackScope(t.Context()))
		require.NoError(t, old.Close())

		s := open(t, url)
		for i, id := range ids {
			c, err := s.Credential(t.Context(), accounts[i].ID, id)
			require.NoError(t, err)
			require.Equal(t, want[i], c.Key.Settings.Scopes)
		}
		changes, err := s.Changes(t.Context(), before, 10)
		require.NoError(t, err)
		told := map[string]bool{}
		for i, c := range changes {
			require.Equal(t, before+int64(i)+1, c.Version, "no version is skipped")
			require.Empty(t, c.KeyID)
			told[c.AccountID] = true
		}
		require.Equal(t, map[string]bool{accounts[1].ID: true, accounts[2].ID: true}, told)
		head, err := s.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, before+2, head)
	})
}
