package account

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrNoRow means that the store has no such row.
	ErrNoRow = errors.New("no such row")
	// ErrEmailTaken means that another user has the e-mail address.
	ErrEmailTaken = errors.New("e-mail is taken")
)

// Store stores accounts. A read outside of Write sees the latest committed state.
type Store interface {
	Reader
	// Write runs f in one transaction. If Write returns nil, the changes are durable.
	// Calls of Write run one after the other, even across processes, so data that f
	// reads cannot change before the commit. If f returns an error, Write rolls back
	// and returns that error.
	Write(ctx context.Context, f func(tx Tx) error) error
	// SaveUses stores the last use of each key. uses holds at most one entry per key.
	// SaveUses ignores an entry if its key belongs to another account, or if a later
	// use is stored. It does not append to the change log. It waits for other writers
	// only if the database requires this.
	SaveUses(ctx context.Context, uses []Use) error
}

// Reader contains the methods that read. A method that reads one row returns ErrNoRow if the row does not exist.
type Reader interface {
	Account(ctx context.Context, id string) (Account, error)
	Operator(ctx context.Context) (Account, error)
	// Accounts lists accounts by id, starting after the given id.
	Accounts(ctx context.Context, after string, limit int) ([]Account, error)
	User(ctx context.Context, accountID, id string) (User, error)
	UserByEmail(ctx context.Context, email string) (User, error)
	// Users lists the users of an account, oldest first.
	Users(ctx context.Context, accountID string) ([]User, error)
	// Session finds a session by the hash of its token.
	Session(ctx context.Context, hash []byte) (Identity, error)
	// Sessions lists the sessions of a user, or of the whole account if userID is empty, newest first.
	Sessions(ctx context.Context, accountID, userID string) ([]Session, error)
	// Invite finds an invite by the hash of its token.
	Invite(ctx context.Context, hash []byte) (Invite, error)
	// Invites lists the invites of an account that have not expired at the given time, newest first.
	Invites(ctx context.Context, accountID string, at time.Time) ([]Invite, error)
	// Reset finds a password reset by the hash of its token.
	Reset(ctx context.Context, hash []byte) (Reset, error)
	// Keys lists the keys of an account, newest first: all keys that have not ended at
	// the given time, and the newest maxEnded keys that have. A key has ended if it
	// was revoked, or if it was replaced and has expired.
	Keys(ctx context.Context, accountID string, at time.Time, maxEnded int) ([]Key, error)
	// CountKeys counts the keys that have not ended.
	CountKeys(ctx context.Context, accountID string, at time.Time) (int, error)
	Credential(ctx context.Context, accountID, keyID string) (Credential, error)
	// CredentialByMAC does not read the last use of the key.
	CredentialByMAC(ctx context.Context, mac []byte) (Credential, error)
	// Head returns the latest version of the change log; it is never 0.
	Head(ctx context.Context) (int64, error)
	// Changes lists the changes after a version, in order.
	Changes(ctx context.Context, after int64, limit int) ([]Change, error)
	// Events lists the audit log of an account before a version, newest first.
	Events(ctx context.Context, accountID string, before int64, limit int) ([]Event, error)
	// SpendHead returns the latest version of any spend sum.
	SpendHead(ctx context.Context) (int64, error)
	// BudgetSpend lists the keys and accounts that have a budget and whose sum in the
	// month of day changed after the given version. It sorts them by version.
	BudgetSpend(ctx context.Context, after int64, day Period, limit int) ([]BudgetSpend, error)
	// NoticeDue reports whether any notice is due at the given time.
	NoticeDue(ctx context.Context, at time.Time) (bool, error)
}

// Tx contains the methods of a transaction. SaveAccount, SaveUser, SaveSession and SaveKey
// insert a row, or update the row with the same id. Saving an account or a key also appends
// to the change log. The versions of the change log become visible in order and without
// gaps.
type Tx interface {
	Reader
	SaveAccount(ctx context.Context, a Account) error
	SaveUser(ctx context.Context, u User) error
	// RemoveUser also deletes the user's sessions and password reset. It returns
	// ErrNoRow if the account has no such user.
	RemoveUser(ctx context.Context, accountID, id string) error
	SaveSession(ctx context.Context, s Session) error
	// EndSession returns ErrNoRow if the user has no such session. An empty userID
	// matches every user of the account.
	EndSession(ctx context.Context, accountID, userID, id string) error
	// EndSessions ends all sessions of a user. If except is set, the session with this id is not ended.
	EndSessions(ctx context.Context, accountID, userID, except string) error
	// EndStaleSessions ends all sessions that were last used before seenBefore or created before createdBefore.
	EndStaleSessions(ctx context.Context, seenBefore, createdBefore time.Time) error
	SaveInvite(ctx context.Context, i Invite) error
	// EndInvite returns ErrNoRow if the account has no such invite.
	EndInvite(ctx context.Context, accountID, id string) error
	// EndStaleInvites deletes the invites of an account that have expired at the given time.
	EndStaleInvites(ctx context.Context, accountID string, at time.Time) error
	// SaveReset replaces an earlier reset of the same user.
	SaveReset(ctx context.Context, r Reset) error
	DeleteReset(ctx context.Context, accountID, userID string) error
	SaveKey(ctx context.Context, k Key) error
	// PruneChanges deletes old entries of the change log. keep is the number of the newest
	// entries that are not deleted.
	PruneChanges(ctx context.Context, keep int64) error
	// SaveEvent appends to the audit log of the account and assigns the version.
	SaveEvent(ctx context.Context, e Event) error
	Spending
	Outbox
}

// Spending holds the operations on spend sums.
type Spending interface {
	// Credentials returns the credentials of the given keys, without their last use. It
	// leaves out keys that do not exist.
	Credentials(ctx context.Context, keyIDs []string) ([]Credential, error)
	// Sums returns the sums that the SumKeys identify. It leaves out sums that do not exist.
	Sums(ctx context.Context, keys []SumKey) ([]Sum, error)
	// SaveSums saves the sums. Each sum gets a new version, in the given order.
	SaveSums(ctx context.Context, sums []Sum) error
	// PruneSums deletes the sums of all periods before a month.
	PruneSums(ctx context.Context, before Period) error
}

// Outbox is the queue of notices that wait for delivery to a webhook.
type Outbox interface {
	QueueNotice(ctx context.Context, n Notice) error
	// CountNotices counts the queued notices of an account.
	CountNotices(ctx context.Context, accountID string) (int, error)
	// TakeNotices takes at most limit due notices and increments their tries. Other
	// instances skip these notices until the given time. It takes only the oldest due
	// notice of each account. Accounts with the fewest due notices come first.
	TakeNotices(ctx context.Context, at, until time.Time, limit int) ([]Notice, error)
	// DelayNotice sets a new due time. It returns ErrNoRow if another instance has taken
	// the notice in the meantime.
	DelayNotice(ctx context.Context, n Notice, until time.Time) error
	// DropNotice deletes a notice. It returns ErrNoRow if another instance has taken the notice in the meantime.
	DropNotice(ctx context.Context, n Notice) error
}
