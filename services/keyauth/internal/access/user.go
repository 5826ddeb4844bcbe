package access

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

// User is a person with access to an account.
type User struct {
	ID        string
	AccountID string
	Email     string
	Role      Role
	// PasswordHash is a PHC string; empty while a reset is pending.
	PasswordHash string
	CreatedAt    time.Time
}

// AuditFields returns what the audit log records of the user.
func (u User) AuditFields() audit.Fields { return audit.Fields{"email": u.Email, "role": u.Role} }

// UserReader reads users.
type UserReader interface {
	User(ctx context.Context, accountID, id string) (User, error)
	UserByEmail(ctx context.Context, email string) (User, error)
	// Users lists the users of an account, oldest first.
	Users(ctx context.Context, accountID string) ([]User, error)
}

// UserWriter reads and changes users.
type UserWriter interface {
	UserReader
	SaveUser(ctx context.Context, u User) error
	// RemoveUser also deletes the user's sessions, password reset, API tokens and identities. It returns
	// ErrNoRow if the account has no such user.
	RemoveUser(ctx context.Context, accountID, id string) error
}
