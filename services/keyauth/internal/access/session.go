package access

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

const (
	// sessionMaxIdle is how long a session may be unused.
	sessionMaxIdle = 7 * 24 * time.Hour
	// sessionMaxAge is how old a session may become.
	sessionMaxAge = 30 * 24 * time.Hour
	// TouchInterval limits how often a read updates the last-used time.
	TouchInterval = time.Hour
	// signOnMaxAge is how old a session of a sign-on may become. The groups of the person
	// are read only at the sign-on, so a lost group takes effect within this time.
	signOnMaxAge = 24 * time.Hour
	// maxSessions limits the sessions of a user. A new session ends the oldest one.
	maxSessions = 100
)

// Session is a signed-in browser or client.
type Session struct {
	ID        string
	AccountID string
	UserID    string
	// Hash is the hash of the token. The token itself is not stored.
	Hash      []byte
	CreatedAt time.Time
	SeenAt    time.Time
	Client    string
	// Issuer is the OpenID Connect issuer of the sign-on; empty for a password.
	Issuer string
}

// ExpiresAt returns when the session expires if it is not used again.
func (s Session) ExpiresAt() time.Time {
	idle, oldest := s.SeenAt.Add(sessionMaxIdle), s.CreatedAt.Add(sessionMaxAge)
	if s.Issuer != "" {
		oldest = s.CreatedAt.Add(signOnMaxAge)
	}
	if idle.Before(oldest) {
		return idle
	}
	return oldest
}

// Renewed returns what a session inherits from this one. A session of a sign-on keeps its
// age, because the groups of the person were not read again.
func (s Session) Renewed() Session {
	if s.Issuer == "" {
		return Session{Client: s.Client}
	}
	return Session{Client: s.Client, Issuer: s.Issuer, CreatedAt: s.CreatedAt}
}

// AuditFields returns what the audit log records of the session.
func (s Session) AuditFields() audit.Fields {
	return audit.Fields{"user_id": s.UserID, "client": s.Client, "created_at": s.CreatedAt}
}

// SessionReader reads sessions.
type SessionReader interface {
	// Session finds a session by the hash of its token.
	Session(ctx context.Context, hash []byte) (Identity, error)
	// Sessions lists the sessions of a user, or of the whole account if userID is empty, newest first.
	Sessions(ctx context.Context, accountID, userID string) ([]Session, error)
}

// SessionWriter reads and changes sessions.
type SessionWriter interface {
	SessionReader
	SaveSession(ctx context.Context, s Session) error
	// EndSession returns ErrNoRow if the user has no such session. An empty userID
	// matches every user of the account.
	EndSession(ctx context.Context, accountID, userID, id string) error
	// EndSessions ends all sessions of a user. If except is set, the session with this id is not ended.
	EndSessions(ctx context.Context, accountID, userID, except string) error
	// EndStaleSessions ends all sessions that were last used before seenBefore or created before createdBefore.
	EndStaleSessions(ctx context.Context, seenBefore, createdBefore time.Time) error
}

// Identity is a session with its account and user.
type Identity struct {
	Account Account
	User    User
	Session Session
}

// SignIn is a new session with its token. The token is not stored anywhere.
type SignIn struct {
	Identity Identity
	Token    string
}
