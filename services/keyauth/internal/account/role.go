package account

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Role is the permission level of a user in an account.
type Role string

// The roles; each includes the permissions of the previous one.
const (
	// Viewer can read.
	Viewer Role = "viewer"
	// Member can also create, change and revoke keys.
	Member Role = "member"
	// Owner can also change the account and its users.
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

// Actor is the caller of an operation. An actor without a user is the operator's
// command line, which has all permissions in the account.
type Actor struct {
	AccountID string
	UserID    string
}

// memberReader reads accounts and their users.
type memberReader interface {
	AccountReader
	UserReader
}

// authorize returns the actor's account if the actor's role is at least minRole.
func authorize(ctx context.Context, rows memberReader, actor Actor, minRole Role) (Account, error) {
	if !isID(actor.AccountID) {
		return Account{}, notFoundError("account")
	}
	a, err := rows.Account(ctx, actor.AccountID)
	if err != nil {
		return Account{}, wrapLookupError(err, "account")
	}
	if actor.UserID == "" {
		return a, nil
	}
	u, err := findUser(ctx, rows, actor)
	if err != nil {
		return Account{}, err
	}
	if u.Role.rank() < minRole.rank() {
		return Account{}, apperr.New(apperr.AuthForbidden, "your role does not allow this").
			With("role", string(u.Role)).With("needed", string(minRole))
	}
	return a, nil
}

func findUser(ctx context.Context, rows UserReader, actor Actor) (User, error) {
	if !isID(actor.UserID) || !isID(actor.AccountID) {
		return User{}, notFoundError("user")
	}
	u, err := rows.User(ctx, actor.AccountID, actor.UserID)
	return u, wrapLookupError(err, "user")
}

// isID reports whether a string can be an id. Do not pass other strings to the store,
// because a database may return an error instead of no rows.
func isID(id string) bool { return uuid.Validate(id) == nil }

func notFoundError(what string) error {
	return apperr.New(apperr.NotFound, "no such "+what)
}

// wrapLookupError turns ErrNoRow into NOT_FOUND.
func wrapLookupError(err error, what string) error { return replaceNoRow(err, notFoundError(what)) }

// replaceNoRow returns missing if err means that there is no such row.
func replaceNoRow(err, missing error) error {
	if errors.Is(err, ErrNoRow) {
		return missing
	}
	return wrapStoreError(err)
}
