package account

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrNone is what a store answers when there is no such row.
	ErrNone = errors.New("no such row")
	// ErrEmailTaken is what SaveUser answers when another user has the e-mail.
	ErrEmailTaken = errors.New("e-mail is taken")
)

// Store keeps accounts. Its own reads each see the newest state.
type Store interface {
	Rows
	// Write runs f in one transaction, durable when Write returns nil. Writers
	// take turns, also those of other processes: what f reads stays true
	// until it is done. An error of f undoes everything and is returned.
	Write(ctx context.Context, f func(tx Tx) error) error
}

// Rows are the reads. Those of one row answer ErrNone if there is none.
type Rows interface {
	Account(ctx context.Context, id string) (Account, error)
	Operator(ctx context.Context) (Account, error)
	User(ctx context.Context, accountID, id string) (User, error)
	UserByEmail(ctx context.Context, email string) (User, error)
	// Session finds by the hash of the token.
	Session(ctx context.Context, hash []byte) (Identity, error)
	// Sessions lists a user's, newest first.
	Sessions(ctx context.Context, accountID, userID string) ([]Session, error)
	Invite(ctx context.Context, hash []byte) (Invite, error)
	// Keys lists an account's, newest first: all that have not ended for good
	// at a time, and at most so many of those that have. A key has ended for
	// good when it was revoked, or replaced and its overlap is over.
	Keys(ctx context.Context, accountID string, at time.Time, ended int) ([]Key, error)
	// CountKeys counts those that have not ended for good.
	CountKeys(ctx context.Context, accountID string, at time.Time) (int, error)
	Credential(ctx context.Context, accountID, keyID string) (Credential, error)
	CredentialByMAC(ctx context.Context, mac []byte) (Credential, error)
	// Head is the last version of the change log; it is never 0.
	Head(ctx context.Context) (int64, error)
	// Changes lists what follows a version, in order, at most limit.
	Changes(ctx context.Context, after int64, limit int) ([]Change, error)
}

// Tx are the writes, beside the reads. Whatever is saved is inserted, or
// changed if its id exists. Saving an account or a key appends to the change
// log; versions become visible in their order.
type Tx interface {
	Rows
	SaveAccount(ctx context.Context, a Account, c Cause) error
	SaveUser(ctx context.Context, u User) error
	SaveSession(ctx context.Context, s Session) error
	// EndSession answers ErrNone if the user has no such session.
	EndSession(ctx context.Context, accountID, userID, id string) error
	// EndStaleSessions ends all that were last seen or made before.
	EndStaleSessions(ctx context.Context, seen, made time.Time) error
	SaveInvite(ctx context.Context, i Invite) error
	// SpendInvite answers ErrNone if there is none.
	SpendInvite(ctx context.Context, hash []byte) error
	SaveKey(ctx context.Context, k Key, c Cause) error
}

// Cause is who changed something, how and when; it is kept beside the change.
type Cause struct {
	UserID string
	Action string
	At     time.Time
}

func because(userID, action string) Cause {
	return Cause{UserID: userID, Action: action, At: now()}
}
