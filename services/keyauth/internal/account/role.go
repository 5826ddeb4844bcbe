package account

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Role is what a user may do within an account.
type Role string

// The roles; each may do what the one before may.
const (
	// Viewer reads.
	Viewer Role = "viewer"
	// Member also makes and ends keys.
	Member Role = "member"
	// Owner also changes the account and its people.
	Owner Role = "owner"
)

func (r Role) rank() int {
	switch r {
	case Viewer:
		return 1
	case Member:
		return 2
	case Owner:
		return 3
	}
	return 0
}

// Actor is who makes a call. A call without a user comes from the operator's
// command line and may do everything within the account.
type Actor struct {
	AccountID string
	UserID    string
}

// authorize returns the actor's account if the actor's role is at least need.
func authorize(ctx context.Context, rows Rows, actor Actor, need Role) (Account, error) {
	if !isID(actor.AccountID) {
		return Account{}, notFound("account")
	}
	a, err := rows.Account(ctx, actor.AccountID)
	if err != nil {
		return Account{}, found(err, "account")
	}
	if actor.UserID == "" {
		return a, nil
	}
	u, err := userOf(ctx, rows, actor)
	if err != nil {
		return Account{}, err
	}
	if u.Role.rank() < need.rank() {
		return Account{}, apperr.New(apperr.AuthForbidden, "your role does not allow this").
			With("role", string(u.Role)).With("needed", string(need))
	}
	return a, nil
}

func userOf(ctx context.Context, rows Rows, actor Actor) (User, error) {
	if !isID(actor.UserID) || !isID(actor.AccountID) {
		return User{}, notFound("user")
	}
	u, err := rows.User(ctx, actor.AccountID, actor.UserID)
	return u, found(err, "user")
}

// isID keeps what cannot be an id from the store, which may not even be able
// to hold it.
func isID(id string) bool { return uuid.Validate(id) == nil }

func notFound(what string) error {
	return apperr.New(apperr.NotFound, "no such "+what)
}

// found makes NOT_FOUND of a missing row.
func found(err error, what string) error {
	if errors.Is(err, ErrNone) {
		return notFound(what)
	}
	return storeError(err)
}
