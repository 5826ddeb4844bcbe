package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
)

// holdings is one row of each kind that belongs to an account.
type holdings struct {
	user    access.User
	session access.Session
	invite  account.Invite
	reset   account.Reset
	notice  notice.Notice
	token   apitoken.Token
}

// neighboursKeepTheirRows runs every write that deletes or updates rows of an account, with the
// ids of another account. The other account sorts before in one case and after in the other.
func neighboursKeepTheirRows(t *testing.T, s account.Store) {
	before := newAccount(t, s)
	h := newHoldings(t, s, newAccount(t, s).ID)
	after := newAccount(t, s)
	require.Less(t, before.ID, h.user.AccountID)
	require.Less(t, h.user.AccountID, after.ID)
	for _, other := range []string{before.ID, after.ID} {
		for name, change := range h.changes(other) {
			err := s.Write(t.Context(), func(tx account.Tx) error { return change(t.Context(), tx) })
			require.True(t, err == nil || errors.Is(err, access.ErrNoRow), "%s: %v", name, err)
			h.requireUnchanged(t, s, name)
		}
	}
}

func newHoldings(t *testing.T, s account.Store, accountID string) (h holdings) {
	t.Helper()
	h.user = newUser(t, s, accountID, "a@example.com")
	h.session = newSession(t, s, h.user, base)
	h.invite = account.Invite{ID: newID(), Hash: []byte("invite"), AccountID: accountID, Role: access.Viewer, CreatedAt: base, ExpiresAt: base}
	h.reset = resetOf(h.user, "reset")
	write(t, s, func(ctx context.Context, tx account.Tx) error {
		return errors.Join(tx.SaveInvite(ctx, h.invite), tx.SaveReset(ctx, h.reset))
	})
	h.notice = queue(t, s, accountID, base)
	h.token = newAPIToken(t, s, h.user, base)
	return h
}

// changes are the writes of an account, by name, with the ids of h.
func (h holdings) changes(accountID string) map[string]func(ctx context.Context, tx account.Tx) error {
	n := h.notice
	n.AccountID = accountID
	return map[string]func(ctx context.Context, tx account.Tx) error{
		"RemoveUser":      func(ctx context.Context, tx account.Tx) error { return tx.RemoveUser(ctx, accountID, h.user.ID) },
		"EndSession":      func(ctx context.Context, tx account.Tx) error { return tx.EndSession(ctx, accountID, "", h.session.ID) },
		"EndSessions":     func(ctx context.Context, tx account.Tx) error { return tx.EndSessions(ctx, accountID, h.user.ID, "") },
		"EndInvite":       func(ctx context.Context, tx account.Tx) error { return tx.EndInvite(ctx, accountID, h.invite.ID) },
		"EndStaleInvites": func(ctx context.Context, tx account.Tx) error { return tx.EndStaleInvites(ctx, accountID, base) },
		"DeleteReset":     func(ctx context.Context, tx account.Tx) error { return tx.DeleteReset(ctx, accountID, h.user.ID) },
		"EndAPIToken":     func(ctx context.Context, tx account.Tx) error { return tx.EndAPIToken(ctx, accountID, h.token.ID) },
		"EndStaleAPITokens": func(ctx context.Context, tx account.Tx) error {
			return tx.EndStaleAPITokens(ctx, accountID, h.token.ExpiresAt)
		},
		"DelayNotice":  func(ctx context.Context, tx account.Tx) error { return tx.DelayNotice(ctx, n, base.AddDate(1, 0, 0)) },
		"ReturnNotice": func(ctx context.Context, tx account.Tx) error { return tx.ReturnNotice(ctx, n, base.AddDate(1, 0, 0)) },
		"DropNotice":   func(ctx context.Context, tx account.Tx) error { return tx.DropNotice(ctx, n) },
	}
}

func (h holdings) requireUnchanged(t *testing.T, s account.Store, after string) {
	t.Helper()
	id, err := s.Session(t.Context(), h.session.Hash)
	require.NoError(t, err, after)
	require.Equal(t, h.user, id.User, after)
	invite, err := s.Invite(t.Context(), h.invite.Hash)
	require.NoError(t, err, after)
	require.Equal(t, h.invite, invite, after)
	reset, err := s.Reset(t.Context(), h.reset.Hash)
	require.NoError(t, err, after)
	require.Equal(t, h.reset, reset, after)
	_, token, err := s.APIToken(t.Context(), h.token.Hash)
	require.NoError(t, err, after)
	require.Equal(t, h.token, token, after)
	due, err := s.NoticeDue(t.Context(), base)
	require.NoError(t, err, after)
	require.True(t, due, after)
}
