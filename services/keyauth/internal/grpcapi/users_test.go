package grpcapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// joined signs in a user who accepted an invite to the account.
func (c client) joined(t *testing.T, owner *keyauthv1.Actor, email string, role keyauthv1.Role) *keyauthv1.SignIn {
	t.Helper()
	invite, err := c.CreateInvite(t.Context(), &keyauthv1.CreateInviteRequest{Actor: owner, Role: role})
	require.NoError(t, err)
	in, err := c.AcceptInvite(t.Context(), &keyauthv1.AcceptInviteRequest{
		Token: invite.GetToken(), Email: email, Password: "correct horse",
	})
	require.NoError(t, err)
	return in.GetSignIn()
}

func actorOf(in *keyauthv1.SignIn) *keyauthv1.Actor {
	return &keyauthv1.Actor{AccountId: in.GetIdentity().GetAccount().GetId(), UserId: in.GetIdentity().GetUser().GetId()}
}

func TestUsersOfAnAccount(t *testing.T) {
	c := serve(t, newURL(t))
	operator, _ := c.bootstrapped(t)
	in := c.joined(t, operator, "ada@example.com", keyauthv1.Role_ROLE_VIEWER)
	ada := in.GetIdentity().GetUser()
	users, err := c.ListUsers(t.Context(), &keyauthv1.ListUsersRequest{Actor: actorOf(in)})
	require.NoError(t, err)
	require.Len(t, users.GetUsers(), 1)
	require.True(t, proto.Equal(ada, users.GetUsers()[0]))
	require.NotNil(t, ada.GetCreatedAt())

	updated, err := c.UpdateUser(t.Context(), &keyauthv1.UpdateUserRequest{Actor: operator, UserId: ada.GetId(), Role: keyauthv1.Role_ROLE_MEMBER})
	require.NoError(t, err)
	require.Equal(t, keyauthv1.Role_ROLE_MEMBER, updated.GetUser().GetRole())
	_, err = c.UpdateUser(t.Context(), &keyauthv1.UpdateUserRequest{Actor: operator, UserId: ada.GetId(), Role: 77})
	requireCode(t, apperr.InvalidRequest, err)
	_, err = c.RemoveUser(t.Context(), &keyauthv1.RemoveUserRequest{Actor: operator, UserId: ada.GetId()})
	require.NoError(t, err)
	_, err = c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: in.GetToken()})
	requireCode(t, apperr.SessionRequired, err)
}

func TestInvitesAreListedAndRevoked(t *testing.T) {
	c := serve(t, newURL(t))
	operator, _ := c.bootstrapped(t)
	made, err := c.CreateInvite(t.Context(), &keyauthv1.CreateInviteRequest{Actor: operator, NewAccount: true})
	require.NoError(t, err)
	list, err := c.ListInvites(t.Context(), &keyauthv1.ListInvitesRequest{Actor: operator})
	require.NoError(t, err)
	require.Len(t, list.GetInvites(), 1)
	invite := list.GetInvites()[0]
	require.True(t, proto.Equal(made.GetExpiresAt(), invite.GetExpiresAt()))
	require.Equal(t, keyauthv1.Role_ROLE_OWNER, invite.GetRole())
	require.True(t, invite.GetNewAccount())
	require.Equal(t, made.GetId(), invite.GetId())
	_, err = c.RevokeInvite(t.Context(), &keyauthv1.RevokeInviteRequest{Actor: operator, InviteId: invite.GetId()})
	require.NoError(t, err)
	_, err = c.AcceptInvite(t.Context(), &keyauthv1.AcceptInviteRequest{Token: made.GetToken(), Email: "ada@example.com", Password: "correct horse"})
	requireCode(t, apperr.TokenInvalid, err)
}

func TestPasswordsAndSessions(t *testing.T) {
	c := serve(t, newURL(t))
	operator, _ := c.bootstrapped(t)
	in := c.joined(t, operator, "ada@example.com", keyauthv1.Role_ROLE_VIEWER)
	_, err := c.ChangePassword(t.Context(), &keyauthv1.ChangePasswordRequest{
		Actor: actorOf(in), SessionId: in.GetIdentity().GetSession().GetId(), Current: "wrong horse", Password: "another horse",
	})
	requireCode(t, apperr.InvalidRequest, err)
	require.Equal(t, "current", apperr.From(err).Details["param"])
	changed, err := c.ChangePassword(t.Context(), &keyauthv1.ChangePasswordRequest{
		Actor: actorOf(in), SessionId: in.GetIdentity().GetSession().GetId(), Current: "correct horse", Password: "another horse",
	})
	require.NoError(t, err)
	_, err = c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: in.GetToken()})
	requireCode(t, apperr.SessionRequired, err)
	_, err = c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: changed.GetSignIn().GetToken()})
	require.NoError(t, err)

	reset, err := c.ResetPassword(t.Context(), &keyauthv1.ResetPasswordRequest{Email: "ada@example.com"})
	require.NoError(t, err)
	require.NotNil(t, reset.GetExpiresAt())
	set, err := c.SetPassword(t.Context(), &keyauthv1.SetPasswordRequest{Token: reset.GetToken(), Password: "third horse", Client: "browser"})
	require.NoError(t, err)
	require.Equal(t, "browser", set.GetSignIn().GetIdentity().GetSession().GetClient())
	login, err := c.Login(t.Context(), &keyauthv1.LoginRequest{Email: "ada@example.com", Password: "third horse"})
	require.NoError(t, err)
	_, err = c.EndSessions(t.Context(), &keyauthv1.EndSessionsRequest{
		Actor: actorOf(in), ExceptSessionId: login.GetSignIn().GetIdentity().GetSession().GetId(),
	})
	require.NoError(t, err)
	_, err = c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: set.GetSignIn().GetToken()})
	requireCode(t, apperr.SessionRequired, err)
	_, err = c.EndSessions(t.Context(), &keyauthv1.EndSessionsRequest{Actor: operator, UserId: in.GetIdentity().GetUser().GetId()})
	require.NoError(t, err)
	_, err = c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: login.GetSignIn().GetToken()})
	requireCode(t, apperr.SessionRequired, err)
}

func TestTheOperatorListsAccounts(t *testing.T) {
	c := serve(t, newURL(t))
	operator, _ := c.bootstrapped(t)
	reg, err := c.Register(t.Context(), &keyauthv1.RegisterRequest{Email: "ada@example.com", Password: "correct horse"})
	require.NoError(t, err)
	page, err := c.ListAccounts(t.Context(), &keyauthv1.ListAccountsRequest{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, operator.GetAccountId(), page.GetAccounts()[0].GetId())
	require.Equal(t, operator.GetAccountId(), page.GetNext())
	page, err = c.ListAccounts(t.Context(), &keyauthv1.ListAccountsRequest{Limit: 1, After: page.GetNext()})
	require.NoError(t, err)
	require.True(t, proto.Equal(reg.GetSignIn().GetIdentity().GetAccount(), page.GetAccounts()[0]))
	require.Empty(t, page.GetNext())
}

func TestUsesAndAuditLog(t *testing.T) {
	c := serve(t, newURL(t))
	operator, secret := c.bootstrapped(t)
	at := timestamppb.New(time.Now().Truncate(time.Microsecond))
	use := &keyauthv1.KeyUse{AccountId: operator.GetAccountId(), KeyId: c.keyID(t, secret), Time: at, Address: "192.0.2.1"}
	_, err := c.ReportUse(t.Context(), &keyauthv1.ReportUseRequest{Uses: []*keyauthv1.KeyUse{use}})
	require.NoError(t, err)
	keys, err := c.ListKeys(t.Context(), &keyauthv1.ListKeysRequest{Actor: operator})
	require.NoError(t, err)
	require.True(t, proto.Equal(at, keys.GetKeys()[0].GetLastUsedAt()))
	require.Equal(t, "192.0.2.1", keys.GetKeys()[0].GetLastUsedFrom())
	for _, bad := range []*timestamppb.Timestamp{nil, {Seconds: at.GetSeconds() + 10, Nanos: -1}} {
		use.Time = bad
		_, err = c.ReportUse(t.Context(), &keyauthv1.ReportUseRequest{Uses: []*keyauthv1.KeyUse{use}})
		require.NoError(t, err)
	}
	again, err := c.ListKeys(t.Context(), &keyauthv1.ListKeysRequest{Actor: operator})
	require.NoError(t, err)
	require.True(t, proto.Equal(keys, again), "a time that is none is no use")

	first, err := c.ListAudit(t.Context(), &keyauthv1.ListAuditRequest{Actor: operator, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, int64(2), first.GetNext())
	created := first.GetEvents()[0]
	require.Equal(t, "key.create", created.GetAction())
	require.Equal(t, use.GetKeyId(), created.GetSubject())
	require.Equal(t, "{}", created.GetBeforeJson())
	require.Contains(t, created.GetAfterJson(), `"name":"first key"`)
	require.NotNil(t, created.GetTime())
	last, err := c.ListAudit(t.Context(), &keyauthv1.ListAuditRequest{Actor: operator, Before: first.GetNext()})
	require.NoError(t, err)
	require.Equal(t, "account.create", last.GetEvents()[0].GetAction())
	require.Zero(t, last.GetNext())
}
