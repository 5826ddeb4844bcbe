package grpcapi_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/grpcapi"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
	"github.com/signalbox/signalbox/services/keyauth/internal/webhook"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// client calls both gRPC services, as another service would.
type client struct {
	keyauthv1.KeyAuthServiceClient
	keyauthv1.AccountServiceClient
}

// serve starts a server on the store and returns its client.
func serve(t *testing.T, url string) client {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	domain, err := account.New(account.Config{
		Store: s, Pepper: bytes.Repeat([]byte("p"), account.PepperLen), Registration: account.RegistrationOpen,
		Webhook: webhook.New(webhook.Config{AllowPrivate: true}), PrivateWebhooks: true,
		HashMemory: 64, // KiB, because the usual 46 MiB take time
	})
	require.NoError(t, err)
	server, network := rpc.NewServer(rpc.ServerConfig{Log: slog.New(slog.DiscardHandler)}), rpc.NewMemory()
	grpcapi.Register(server.Registrar(), domain)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, network.Listener()) }()
	conn, err := network.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, s.Close())
	})
	return client{keyauthv1.NewKeyAuthServiceClient(conn), keyauthv1.NewAccountServiceClient(conn)}
}

func newURL(t *testing.T) string { return sqldb.SQLiteURL(filepath.Join(t.TempDir(), "keyauth.db")) }

// bootstrapped returns the operator's command line as an actor, and the first key.
func (c client) bootstrapped(t *testing.T) (*keyauthv1.Actor, string) {
	t.Helper()
	b, err := c.Bootstrap(t.Context(), &keyauthv1.BootstrapRequest{})
	require.NoError(t, err)
	require.True(t, b.GetCreated())
	v, err := c.VerifyKey(t.Context(), digestOf(b.GetKey()))
	require.NoError(t, err)
	return &keyauthv1.Actor{AccountId: v.GetPrincipal().GetAccountId()}, b.GetKey()
}

func digestOf(key string) *keyauthv1.VerifyKeyRequest {
	sum := apikey.DigestOf(key)
	return &keyauthv1.VerifyKeyRequest{Digest: sum[:]}
}

func requireCode(t *testing.T, code apperr.Code, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, apperr.CodeOf(err), "%v", err)
}

func TestUserLifecycle(t *testing.T) {
	c := serve(t, newURL(t))
	reg, err := c.Register(t.Context(), &keyauthv1.RegisterRequest{
		Email: "ada@example.com", Password: "correct horse", Name: "Ada's", Client: "browser",
	})
	require.NoError(t, err)
	me := reg.GetSignIn().GetIdentity()
	require.Equal(t, keyauthv1.Role_ROLE_OWNER, me.GetUser().GetRole())
	actor := &keyauthv1.Actor{AccountId: me.GetAccount().GetId(), UserId: me.GetUser().GetId()}

	login, err := c.Login(t.Context(), &keyauthv1.LoginRequest{Email: "ada@example.com", Password: "correct horse"})
	require.NoError(t, err)
	got, err := c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: login.GetSignIn().GetToken()})
	require.NoError(t, err)
	require.True(t, proto.Equal(login.GetSignIn().GetIdentity(), got.GetIdentity()))
	sessions, err := c.ListSessions(t.Context(), &keyauthv1.ListSessionsRequest{Actor: actor})
	require.NoError(t, err)
	require.Len(t, sessions.GetSessions(), 2)
	_, err = c.EndSession(t.Context(), &keyauthv1.EndSessionRequest{Actor: actor, SessionId: me.GetSession().GetId()})
	require.NoError(t, err)
	_, err = c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: reg.GetSignIn().GetToken()})
	requireCode(t, apperr.SessionRequired, err)
	_, err = c.Logout(t.Context(), &keyauthv1.LogoutRequest{Token: login.GetSignIn().GetToken()})
	require.NoError(t, err)
	_, err = c.GetSession(t.Context(), &keyauthv1.GetSessionRequest{Token: login.GetSignIn().GetToken()})
	requireCode(t, apperr.SessionRequired, err)
}

func TestAViewerIsInvitedAndCannotCreate(t *testing.T) {
	c := serve(t, newURL(t))
	owner, _ := c.bootstrapped(t)
	invite, err := c.CreateInvite(t.Context(), &keyauthv1.CreateInviteRequest{Actor: owner, Role: keyauthv1.Role_ROLE_VIEWER})
	require.NoError(t, err)
	require.NotNil(t, invite.GetExpiresAt())
	in, err := c.AcceptInvite(t.Context(), &keyauthv1.AcceptInviteRequest{
		Token: invite.GetToken(), Email: "v@example.com", Password: "correct horse",
	})
	require.NoError(t, err)
	viewer := &keyauthv1.Actor{AccountId: owner.GetAccountId(), UserId: in.GetSignIn().GetIdentity().GetUser().GetId()}
	_, err = c.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{Actor: viewer, Settings: &keyauthv1.KeySettings{Name: "k"}})
	requireCode(t, apperr.AuthForbidden, err)
	require.Equal(t, "member", apperr.From(err).Details["needed"])
	keys, err := c.ListKeys(t.Context(), &keyauthv1.ListKeysRequest{Actor: viewer})
	require.NoError(t, err)
	require.Len(t, keys.GetKeys(), 1)

	_, err = c.CreateInvite(t.Context(), &keyauthv1.CreateInviteRequest{Actor: owner})
	requireCode(t, apperr.InvalidRequest, err)
	_, err = c.CreateInvite(t.Context(), &keyauthv1.CreateInviteRequest{Actor: owner, NewAccount: true})
	require.NoError(t, err, "the operator invites accounts")
}

func TestBootstrapAndClaim(t *testing.T) {
	c := serve(t, newURL(t))
	c.bootstrapped(t)
	again, err := c.Bootstrap(t.Context(), &keyauthv1.BootstrapRequest{})
	require.NoError(t, err)
	require.False(t, again.GetCreated())
	require.True(t, again.GetUnclaimed())
	in, err := c.Claim(t.Context(), &keyauthv1.ClaimRequest{
		Token: again.GetClaimToken(), Email: "op@example.com", Password: "correct horse",
	})
	require.NoError(t, err)
	require.True(t, in.GetSignIn().GetIdentity().GetAccount().GetOperator())
	claimed, err := c.Bootstrap(t.Context(), &keyauthv1.BootstrapRequest{})
	require.NoError(t, err)
	require.True(t, proto.Equal(&keyauthv1.BootstrapResponse{}, claimed))
	_, err = c.Claim(t.Context(), &keyauthv1.ClaimRequest{Token: again.GetClaimToken(), Email: "x@example.com", Password: "correct horse"})
	requireCode(t, apperr.TokenInvalid, err)
}

func TestAccountSettings(t *testing.T) {
	c := serve(t, newURL(t))
	actor, _ := c.bootstrapped(t)
	updated, err := c.UpdateAccount(t.Context(), &keyauthv1.UpdateAccountRequest{
		Actor:   actor,
		Account: &keyauthv1.Account{Name: "New", BaselineModel: "large", Capture: keyauthv1.Capture_CAPTURE_REDACTED, ContentDays: 9},
		Mask:    &fieldmaskpb.FieldMask{Paths: []string{"name", "baseline_model", "capture", "content_days"}},
	})
	require.NoError(t, err)
	read, err := c.GetAccount(t.Context(), &keyauthv1.GetAccountRequest{Actor: actor})
	require.NoError(t, err)
	require.True(t, proto.Equal(updated.GetAccount(), read.GetAccount()))
	require.Equal(t, keyauthv1.Capture_CAPTURE_REDACTED, read.GetAccount().GetCapture())
	require.True(t, read.GetAccount().GetOperator())
	_, err = c.UpdateAccount(t.Context(), &keyauthv1.UpdateAccountRequest{
		Actor: actor, Account: &keyauthv1.Account{Capture: 77}, Mask: &fieldmaskpb.FieldMask{Paths: []string{"capture"}},
	})
	requireCode(t, apperr.InvalidRequest, err)
}
