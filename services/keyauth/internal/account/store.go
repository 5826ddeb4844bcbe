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
	// NoteUses keeps the last use of each key, at most one use a key. A use of
	// a key that is not the account's, or older than the one kept, is dropped.
	// It is no change of the key, and waits for no other writer where the
	// store can do without.
	NoteUses(ctx context.Context, uses []Use) error
}

// Rows are the reads. Those of one row answer ErrNone if there is none.
type Rows interface {
	Account(ctx context.Context, id string) (Account, error)
	Operator(ctx context.Context) (Account, error)
	// Accounts lists by id what follows one, at most limit.
	Accounts(ctx context.Context, after string, limit int) ([]Account, error)
	User(ctx context.Context, accountID, id string) (User, error)
	UserByEmail(ctx context.Context, email string) (User, error)
	// Users lists an account's, oldest first.
	Users(ctx context.Context, accountID string) ([]User, error)
	// Session finds by the hash of the token.
	Session(ctx context.Context, hash []byte) (Identity, error)
	// Sessions lists a user's, newest first; without a user, the account's.
	Sessions(ctx context.Context, accountID, userID string) ([]Session, error)
	// Invite finds by the hash of the token.
	Invite(ctx context.Context, hash []byte) (Invite, error)
	// Invites lists an account's that have not expired at a time, newest first.
	Invites(ctx context.Context, accountID string, at time.Time) ([]Invite, error)
	// Reset finds by the hash of the token.
	Reset(ctx context.Context, hash []byte) (Reset, error)
	// Keys lists an account's, newest first: all that have not ended for good
	// at a time, and at most so many of those that have. A key has ended for
	// good when it was revoked, or replaced and its overlap is over.
	Keys(ctx context.Context, accountID string, at time.Time, ended int) ([]Key, error)
	// CountKeys counts those that have not ended for good.
	CountKeys(ctx context.Context, accountID string, at time.Time) (int, error)
	Credential(ctx context.Context, accountID, keyID string) (Credential, error)
	// CredentialByMAC leaves the last use open.
	CredentialByMAC(ctx context.Context, mac []byte) (Credential, error)
	// Head is the last version of the change log; it is never 0.
	Head(ctx context.Context) (int64, error)
	// Changes lists what follows a version, in order, at most limit.
	Changes(ctx context.Context, after int64, limit int) ([]Change, error)
	// Events lists an account's audit trail before a version, newest first, at
	// most limit.
	Events(ctx context.Context, accountID string, before int64, limit int) ([]Event, error)
	// SpendHead is the last version that a sum was given.
	SpendHead(ctx context.Context) (int64, error)
	// Spent lists, in the order of versions and at most limit, the keys and
	// accounts with a budget whose sum of the day's month has a version after
	// the given one.
	Spent(ctx context.Context, after int64, day Period, limit int) ([]Spent, error)
	// NoticeDue reports whether any notice is due at a time.
	NoticeDue(ctx context.Context, at time.Time) (bool, error)
}

// Tx are the writes, beside the reads. Whatever is saved is inserted, or
// changed if its id exists. Saving an account or a key appends to the change
// log; versions become visible in their order, without a gap.
type Tx interface {
	Rows
	SaveAccount(ctx context.Context, a Account) error
	SaveUser(ctx context.Context, u User) error
	// RemoveUser also ends the user's sessions and reset. ErrNone if the
	// account has no such user.
	RemoveUser(ctx context.Context, accountID, id string) error
	SaveSession(ctx context.Context, s Session) error
	// EndSession answers ErrNone if the user, or without one the account, has
	// no such session.
	EndSession(ctx context.Context, accountID, userID, id string) error
	// EndSessions ends all of a user's but one, if one is named.
	EndSessions(ctx context.Context, accountID, userID, except string) error
	// EndStaleSessions ends all that were last seen or made before.
	EndStaleSessions(ctx context.Context, seen, made time.Time) error
	SaveInvite(ctx context.Context, i Invite) error
	// EndInvite answers ErrNone if the account has no such invite.
	EndInvite(ctx context.Context, accountID, id string) error
	// EndStaleInvites ends an account's that have expired at a time.
	EndStaleInvites(ctx context.Context, accountID string, at time.Time) error
	// SaveReset takes the place of the user's one before.
	SaveReset(ctx context.Context, r Reset) error
	DropReset(ctx context.Context, accountID, userID string) error
	SaveKey(ctx context.Context, k Key) error
	// PruneChanges leaves at most so many of the newest in the change log.
	PruneChanges(ctx context.Context, keep int64) error
	// Note appends to the account's audit trail and gives the event its
	// version.
	Note(ctx context.Context, e Event) error
	Spending
	Outbox
}

// Spending are the sums of what was spent.
type Spending interface {
	// Credentials finds those of many keys; what is not there is left out, and
	// so are last uses.
	Credentials(ctx context.Context, keyIDs []string) ([]Credential, error)
	// Sums finds those there are.
	Sums(ctx context.Context, names []SumName) ([]Sum, error)
	// SaveSums gives each the next version, in the order given.
	SaveSums(ctx context.Context, sums []Sum) error
	// PruneSums takes out the sums of all periods before a month.
	PruneSums(ctx context.Context, before Period) error
}

// Outbox are the notices that wait for a webhook.
type Outbox interface {
	QueueNotice(ctx context.Context, n Notice) error
	// CountNotices counts those of an account that wait.
	CountNotices(ctx context.Context, accountID string) (int, error)
	// TakeNotices counts a try of what is due, the oldest of each account, of
	// those first that have least, and has nobody else take it until a time.
	TakeNotices(ctx context.Context, at, until time.Time, most int) ([]Notice, error)
	// DelayNotice makes a notice due later. ErrNone if somebody else has taken
	// it since.
	DelayNotice(ctx context.Context, n Notice, until time.Time) error
	// DropNotice takes a notice out. ErrNone as above.
	DropNotice(ctx context.Context, n Notice) error
}
