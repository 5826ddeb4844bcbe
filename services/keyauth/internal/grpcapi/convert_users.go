package grpcapi

import (
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
)

func userToProto(u access.User) *keyauthv1.User {
	return &keyauthv1.User{Id: u.ID, Email: u.Email, Role: roles[u.Role], CreatedAt: timeToProto(u.CreatedAt)}
}

func inviteToProto(i account.Invite) *keyauthv1.Invite {
	return &keyauthv1.Invite{
		Id: i.ID, Role: roles[i.Role], CreatedAt: timeToProto(i.CreatedAt), ExpiresAt: timeToProto(i.ExpiresAt), UserId: i.UserID,
		NewAccount: i.NewAccount,
	}
}

func sessionToProto(s access.Session) *keyauthv1.Session {
	return &keyauthv1.Session{
		Id: s.ID, CreatedAt: timeToProto(s.CreatedAt), ExpiresAt: timeToProto(s.ExpiresAt()), Client: s.Client, Issuer: s.Issuer,
	}
}

func identityToProto(id access.Identity) *keyauthv1.Identity {
	return &keyauthv1.Identity{
		Account: redactedAccountToProto(id.Account),
		User:    userToProto(id.User),
		Session: sessionToProto(id.Session),
	}
}

func signInToProto(in access.SignIn) *keyauthv1.SignIn {
	return &keyauthv1.SignIn{Identity: identityToProto(in.Identity), Token: in.Token}
}

func eventToProto(e audit.Event) *keyauthv1.AuditEvent {
	return &keyauthv1.AuditEvent{
		Version: e.Version, Time: timeToProto(e.At), UserId: e.UserID, Email: e.Email, Action: e.Action, Subject: e.Subject,
		BeforeJson: e.Before, AfterJson: e.After,
	}
}

// useFromProto converts an invalid time to the zero time. The domain ignores such an entry.
func useFromProto(u *keyauthv1.KeyUse) report.Use {
	var at time.Time
	if u.GetTime().IsValid() {
		at = u.GetTime().AsTime()
	}
	return report.Use{AccountID: u.GetAccountId(), KeyID: u.GetKeyId(), At: at, Address: u.GetAddress()}
}
