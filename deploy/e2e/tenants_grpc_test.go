package e2e

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// startKeyauth runs only keyauth.
func startKeyauth(t *testing.T) *grpc.ClientConn {
	t.Helper()
	addr := freeAddress(t)
	var out synced
	cmd := exec.Command(binDir + "/keyauth")
	cmd.Env = append(cleanEnvironment(), "SIGNALBOX_LISTEN="+addr, "SIGNALBOX_ADMIN="+freeAddress(t), "SIGNALBOX_DATA="+t.TempDir(), "SIGNALBOX_REGISTRATION=open")
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		require.NoError(t, cmd.Wait(), out.String())
		require.NotContains(t, out.String(), "DATA RACE")
	})
	conn, err := rpc.Dial(addr, rpc.ClientConfig{Timeout: waitTimeout})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.Eventually(t, func() bool { return rpc.CheckServing(t.Context(), conn) == nil }, waitTimeout, pollInterval)
	return conn
}

// holder is an account in keyauth with the ids of its objects, by the names of the fields
// that carry them.
type holder struct {
	actor *keyauthv1.Actor
	ids   map[protoreflect.Name]string
}

func newHolder(t *testing.T, accounts keyauthv1.AccountServiceClient, name string) *holder {
	t.Helper()
	in, err := accounts.Register(t.Context(), &keyauthv1.RegisterRequest{Email: name + "@example.com", Password: tenantPassword, Name: name})
	require.NoError(t, err)
	who := in.GetSignIn().GetIdentity()
	h := &holder{actor: &keyauthv1.Actor{AccountId: who.GetAccount().GetId(), UserId: who.GetUser().GetId()}}
	key, err := accounts.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{Actor: h.actor, Settings: &keyauthv1.KeySettings{Name: "key of " + name}})
	require.NoError(t, err)
	_, err = accounts.CreateInvite(t.Context(), &keyauthv1.CreateInviteRequest{Actor: h.actor, Role: keyauthv1.Role_ROLE_VIEWER})
	require.NoError(t, err)
	invites, err := accounts.ListInvites(t.Context(), &keyauthv1.ListInvitesRequest{Actor: h.actor})
	require.NoError(t, err)
	token, err := accounts.CreateApiToken(t.Context(), &keyauthv1.CreateApiTokenRequest{Actor: h.actor, Name: "token of " + name, Scopes: []string{"read"}})
	require.NoError(t, err)
	h.ids = map[protoreflect.Name]string{
		"api_token_id": token.GetToken().GetId(),
		"key_id":       key.GetKey().GetId(), "invite_id": invites.GetInvites()[0].GetId(), "user_id": who.GetUser().GetId(),
		"session_id": who.GetSession().GetId(), "except_session_id": who.GetSession().GetId(),
	}
	return h
}

// actorMethods returns the methods of keyauth that have an actor.
func actorMethods() (all []protoreflect.MethodDescriptor) {
	services := keyauthv1.File_signalbox_keyauth_v1_keyauth_proto.Services()
	for i := range services.Len() {
		methods := services.Get(i).Methods()
		for j := range methods.Len() {
			if methods.Get(j).Input().Fields().ByName("actor") != nil {
				all = append(all, methods.Get(j))
			}
		}
	}
	return all
}

// rest holds the other required fields of a call, in protobuf's text format.
var rest = map[protoreflect.Name]string{
	"UpdateAccount":      `account {name: "taken"} mask {paths: "name"}`,
	"UpdateKey":          `settings {name: "taken"} mask {paths: "name"}`,
	"CreateKey":          `settings {name: "taken"}`,
	"CreateInvite":       `role: ROLE_VIEWER`,
	"UpdateUser":         `role: ROLE_VIEWER`,
	"CreateApiToken":     `name: "taken" scopes: "read"`,
	"RecordPolicyChange": `version: "abc"`,
	"RecordDrain":        `provider: "openai"`,
	"RecordAlertChange":  `action: "create" subject: "taken" after {key: "name" value: "taken"}`,
	"SetBudget":          `budget {name: "taken" kind: "tag" value: "taken" amounts {nano_usd_per_day: 1}}`,
	"RemoveBudget":       `name: "taken"`,
	"ChangePassword":     `current: "` + tenantPassword + `" password: "another long password"`,
}

// call calls a method for an actor with the ids of another holder, and returns the
// response as text. named reports whether the method needs an id.
func call(t *testing.T, conn *grpc.ClientConn, m protoreflect.MethodDescriptor, actor *keyauthv1.Actor, of *holder) (answer string, named bool, err error) {
	t.Helper()
	req, resp := dynamicpb.NewMessage(m.Input()), dynamicpb.NewMessage(m.Output())
	require.NoError(t, prototext.Unmarshal([]byte(rest[m.Name()]), req))
	raw, err := proto.Marshal(actor)
	require.NoError(t, err)
	as := dynamicpb.NewMessage(m.Input().Fields().ByName("actor").Message())
	require.NoError(t, proto.Unmarshal(raw, as))
	req.Set(m.Input().Fields().ByName("actor"), protoreflect.ValueOfMessage(as))
	for i := range m.Input().Fields().Len() {
		field := m.Input().Fields().Get(i)
		if !strings.HasSuffix(string(field.Name()), "_id") {
			continue
		}
		require.Contains(t, of.ids, field.Name(), "say what the new id in %s is", m.FullName())
		req.Set(field, protoreflect.ValueOfString(of.ids[field.Name()]))
		named = true
	}
	err = conn.Invoke(t.Context(), "/"+string(m.Parent().FullName())+"/"+string(m.Name()), req, resp)
	return prototext.Format(resp), named, err
}

// TestEveryCallOfKeyauthKeepsAccountsApart calls every method that has an actor with ids
// of another account, and with actors that do not exist.
func TestEveryCallOfKeyauthKeepsAccountsApart(t *testing.T) {
	t.Parallel()
	conn := startKeyauth(t)
	accounts := keyauthv1.NewAccountServiceClient(conn)
	here, there := newHolder(t, accounts, "herewego"), newHolder(t, accounts, "thereforth")
	before := visibleState(t, accounts, there)
	methods := actorMethods()
	require.Greater(t, len(methods), 15)
	for _, m := range methods {
		for _, nobody := range []*keyauthv1.Actor{
			{AccountId: there.actor.GetAccountId(), UserId: here.actor.GetUserId()},
			{AccountId: here.actor.GetAccountId(), UserId: there.actor.GetUserId()},
			{AccountId: here.ids["key_id"], UserId: here.actor.GetUserId()},
			{UserId: there.actor.GetUserId()},
			{},
		} {
			if m.Name() == "ListAccounts" && nobody.GetUserId() == "" {
				continue // the operator's command line sends this
			}
			_, _, err := call(t, conn, m, nobody, there)
			require.Equal(t, apperr.NotFound, apperr.CodeOf(err), "%s as %v: %v", m.Name(), nobody, err)
		}
		answer, named, err := call(t, conn, m, here.actor, there)
		if named {
			require.Equal(t, apperr.NotFound, apperr.CodeOf(err), "%s: %v", m.Name(), err)
		}
		for _, id := range there.ids {
			require.NotContains(t, answer, id, m.Name())
		}
		require.NotContains(t, answer, "thereforth", m.Name())
	}
	_, err := accounts.ReportUse(t.Context(), &keyauthv1.ReportUseRequest{Uses: []*keyauthv1.KeyUse{{
		AccountId: here.actor.GetAccountId(), KeyId: there.ids["key_id"], Time: timestamppb.Now(), Address: "192.0.2.1",
	}}})
	if err != nil {
		require.Equal(t, apperr.NotFound, apperr.CodeOf(err))
	}
	require.Equal(t, before, visibleState(t, accounts, there), "the other account was changed")
}

// visibleState returns everything that an account can read about itself.
func visibleState(t *testing.T, accounts keyauthv1.AccountServiceClient, h *holder) []string {
	t.Helper()
	var all []string
	add := func(m proto.Message, err error) {
		require.NoError(t, err)
		all = append(all, strings.Join(strings.Fields(prototext.Format(m)), " "))
	}
	ctx := t.Context()
	keys, err := accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: h.actor})
	add(keys, err)
	users, err := accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: h.actor})
	add(users, err)
	invites, err := accounts.ListInvites(ctx, &keyauthv1.ListInvitesRequest{Actor: h.actor})
	add(invites, err)
	sessions, err := accounts.ListSessions(ctx, &keyauthv1.ListSessionsRequest{Actor: h.actor})
	add(sessions, err)
	tokens, err := accounts.ListApiTokens(ctx, &keyauthv1.ListApiTokensRequest{Actor: h.actor})
	add(tokens, err)
	account, err := accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: h.actor})
	add(account, err)
	changes, err := accounts.ListAudit(ctx, &keyauthv1.ListAuditRequest{Actor: h.actor})
	add(changes, err)
	return all
}

// TestTheRouterKnowsNoPeople: if the router ever gets a method with an actor, it needs a
// test like this one.
func TestTheRouterKnowsNoPeople(t *testing.T) {
	services := routerv1.File_signalbox_router_v1_router_proto.Services()
	require.NotZero(t, services.Len())
	for i := range services.Len() {
		methods := services.Get(i).Methods()
		for j := range methods.Len() {
			require.Nil(t, methods.Get(j).Input().Fields().ByName("actor"), methods.Get(j).FullName())
		}
	}
}
