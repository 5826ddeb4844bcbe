package access

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Actor is the caller of an operation. An actor without a user is the operator's
// command line, which has all permissions in the account.
type Actor struct {
	AccountID string
	UserID    string
}

// MemberReader reads accounts and their users.
type MemberReader interface {
	AccountReader
	UserReader
}

// Authorize returns the actor's account if the actor's role is at least minRole.
func Authorize(ctx context.Context, rows MemberReader, actor Actor, minRole Role) (Account, error) {
	if !IsID(actor.AccountID) {
		return Account{}, NotFound("account")
	}
	a, err := rows.Account(ctx, actor.AccountID)
	if err != nil {
		return Account{}, WrapLookup(err, "account")
	}
	if actor.UserID == "" {
		return a, nil
	}
	u, err := FindUser(ctx, rows, actor)
	if err != nil {
		return Account{}, err
	}
	if u.Role.Rank() < minRole.Rank() {
		return Account{}, apperr.New(apperr.AuthForbidden, "your role does not allow this").
			With("role", string(u.Role)).With("needed", string(minRole))
	}
	return a, nil
}

// FindUser returns the user of an actor.
func FindUser(ctx context.Context, rows UserReader, actor Actor) (User, error) {
	if !IsID(actor.UserID) || !IsID(actor.AccountID) {
		return User{}, NotFound("user")
	}
	u, err := rows.User(ctx, actor.AccountID, actor.UserID)
	return u, WrapLookup(err, "user")
}
