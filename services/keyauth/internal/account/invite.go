package account

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

const (
	// inviteLifetime is how long an invite can be accepted.
	inviteLifetime = 7 * 24 * time.Hour
	// maxInvites bounds the open invites of an account.
	maxInvites = 100
)

// Invite allows one person to become a user.
type Invite struct {
	ID string
	// Hash is the hash of the token. The token itself is not stored.
	Hash []byte
	// AccountID is the account that created the invite. The new user joins it
	// unless NewAccount is set.
	AccountID  string
	NewAccount bool
	Role       access.Role
	// UserID is the user that created the invite. It is empty if the operator's command line created it.
	UserID    string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// InviteReader reads invites.
type InviteReader interface {
	// Invite finds an invite by the hash of its token.
	Invite(ctx context.Context, hash []byte) (Invite, error)
	// Invites lists the invites of an account that have not expired at the given time, newest first.
	Invites(ctx context.Context, accountID string, at time.Time) ([]Invite, error)
}

// InviteWriter reads and changes invites.
type InviteWriter interface {
	InviteReader
	SaveInvite(ctx context.Context, i Invite) error
	// EndInvite returns ErrNoRow if the account has no such invite.
	EndInvite(ctx context.Context, accountID, id string) error
	// EndStaleInvites deletes the invites of an account that have expired at the given time.
	EndStaleInvites(ctx context.Context, accountID string, at time.Time) error
}

// auditedInvites changes invites and records the changes.
type auditedInvites interface {
	InviteWriter
	access.EventWriter
}

// OneTimeToken is a new token of an invite or a password reset. Only its hash is stored.
type OneTimeToken struct {
	// ID is the id of the invite; empty for a password reset.
	ID        string
	Token     string
	ExpiresAt time.Time
}

// InviteUser creates an invite to the actor's account. Requires the owner role.
func (s *Service) InviteUser(ctx context.Context, actor access.Actor, role access.Role) (OneTimeToken, error) {
	if role.Rank() == 0 {
		return OneTimeToken{}, access.InvalidRole()
	}
	return s.createInvite(ctx, actor, Invite{Role: role})
}

// InviteAccount creates an invite to open a new account. Only owners of the
// operator's account may call it. Error: REGISTRATION_CLOSED.
func (s *Service) InviteAccount(ctx context.Context, actor access.Actor) (OneTimeToken, error) {
	if s.registration == RegistrationClosed {
		return OneTimeToken{}, registrationError("this installation does not accept new accounts")
	}
	return s.createInvite(ctx, actor, Invite{Role: access.Owner, NewAccount: true})
}

func (s *Service) createInvite(ctx context.Context, actor access.Actor, i Invite) (OneTimeToken, error) {
	if err := s.checkPasswordUsers(); err != nil {
		return OneTimeToken{}, err
	}
	token := access.NewToken()
	i.ID, i.Hash, i.AccountID, i.UserID = access.NewID(), access.HashToken(token), actor.AccountID, actor.UserID
	i.CreatedAt = access.Now()
	i.ExpiresAt = i.CreatedAt.Add(inviteLifetime)
	err := s.write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Owner)
		if err != nil {
			return err
		}
		if i.NewAccount && !a.Operator {
			return apperr.New(apperr.AuthForbidden, "only the operator can invite new accounts")
		}
		if err := checkInviteLimit(ctx, tx, a.ID); err != nil {
			return err
		}
		if err := tx.SaveInvite(ctx, i); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, actor, "invite.create", i.ID, nil, i.auditFields())
	})
	return OneTimeToken{ID: i.ID, Token: token, ExpiresAt: i.ExpiresAt}, err
}

func checkInviteLimit(ctx context.Context, tx InviteWriter, accountID string) error {
	if err := tx.EndStaleInvites(ctx, accountID, access.Now()); err != nil {
		return err
	}
	open, err := tx.Invites(ctx, accountID, access.Now())
	if err != nil {
		return err
	}
	if len(open) >= maxInvites {
		return apperr.New(apperr.InvalidRequest, "the account has reached its limit of 100 open invites; revoke one that is not needed").
			With("limit", maxInvites)
	}
	return nil
}

// Invites lists the open invites, newest first. Requires the owner role.
func (s *Service) Invites(ctx context.Context, actor access.Actor) ([]Invite, error) {
	a, err := access.Authorize(ctx, s.store, actor, access.Owner)
	if err != nil {
		return nil, err
	}
	all, err := s.store.Invites(ctx, a.ID, access.Now())
	return all, access.WrapStore(err)
}

// RevokeInvite revokes an invite. Requires the owner role.
func (s *Service) RevokeInvite(ctx context.Context, actor access.Actor, id string) error {
	return s.write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Owner)
		if err != nil {
			return err
		}
		open, err := tx.Invites(ctx, a.ID, access.Now())
		if err != nil {
			return err
		}
		for _, i := range open {
			if i.ID == id {
				return revokeInvite(ctx, tx, actor, i)
			}
		}
		return access.NotFound("invite")
	})
}

func revokeInvite(ctx context.Context, tx auditedInvites, actor access.Actor, i Invite) error {
	if err := tx.EndInvite(ctx, i.AccountID, i.ID); err != nil {
		return err
	}
	return access.RecordEvent(ctx, tx, actor, "invite.revoke", i.ID, i.auditFields(), nil)
}
