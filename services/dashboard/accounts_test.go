package dashboard_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// accounts is a fake keyauth with the behavior that the dashboard needs. Services
// never import each other, so the tests cannot use the real one.
type accounts struct {
	keyauthv1.UnimplementedAccountServiceServer

	mu       sync.Mutex
	people   map[string]*person // by e-mail
	sessions map[string]*opened // by token
	invites  map[string]*invite // by token
	tokens   []*apiToken
	signOns  []*keyauthv1.SignOnRequest
	events   []*keyauthv1.AuditEvent
	// changes are the policy changes for the audit log.
	changes []*keyauthv1.RecordPolicyChangeRequest
	// audited is the last request for the audit log.
	audited *keyauthv1.ListAuditRequest
	// drains are the drains for the audit log.
	drains []*keyauthv1.RecordDrainRequest
	// alertChanges are the changes of alerts for the audit log.
	alertChanges []*keyauthv1.RecordAlertChangeRequest
	// rolloutEvents are the events of rollouts in the audit log.
	rolloutEvents []*keyauthv1.RecordRolloutEventRequest
	keys          []*ownedKey
	updated       *keyauthv1.UpdateKeyRequest
	changed       *keyauthv1.UpdateAccountRequest
	uses          []*keyauthv1.KeyUse
	spend         map[string]int64                          // by account, key and day
	budgets       map[string]*keyauthv1.ListBudgetsResponse // by account
	made          int
	opened        int
	// issued counts the playground keys. keyAge is how long they are used.
	issued int
	keyAge time.Duration
	// closed is true if visitors cannot create accounts.
	closed bool
}

func (a *accounts) GetInstallation(context.Context, *keyauthv1.GetInstallationRequest) (*keyauthv1.GetInstallationResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	resp := &keyauthv1.GetInstallationResponse{Unclaimed: true, RegistrationOpen: !a.closed}
	for _, p := range a.people {
		if p.identity.GetAccount().GetOperator() {
			resp.Unclaimed = false
		}
	}
	return resp, nil
}

type person struct {
	password string
	identity *keyauthv1.Identity
}

// opened is a session.
type opened struct {
	person  *person
	session *keyauthv1.Session
}

type ownedKey struct {
	account string
	key     *keyauthv1.Key
}

const claimToken = "claim-me"

var created = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

func newAccounts() *accounts {
	return &accounts{
		people: map[string]*person{}, sessions: map[string]*opened{}, invites: map[string]*invite{}, spend: map[string]int64{},
	}
}

func (a *accounts) join(email, password, name string) (*keyauthv1.SignIn, error) {
	if email == "" {
		return nil, apperr.New(apperr.InvalidRequest, "enter an e-mail address").With("param", "email")
	}
	if a.people[email] != nil {
		return nil, apperr.New(apperr.EmailTaken, "this e-mail has an account already").With("param", "email")
	}
	a.made++
	p := &person{password: password, identity: &keyauthv1.Identity{
		Account: &keyauthv1.Account{Id: fmt.Sprintf("acc_%d", a.made), Name: name, CreatedAt: timestamppb.New(created)},
		User: &keyauthv1.User{
			Id: fmt.Sprintf("usr_%d", a.made), Email: email, Role: keyauthv1.Role_ROLE_OWNER, CreatedAt: timestamppb.New(created),
		},
	}}
	a.people[email] = p
	return a.open(p, ""), nil
}

func (a *accounts) open(p *person, client string) *keyauthv1.SignIn {
	a.opened++
	token := fmt.Sprintf("token-%d", a.opened)
	a.sessions[token] = &opened{p, &keyauthv1.Session{
		Id: fmt.Sprintf("ses_%d", a.opened), CreatedAt: timestamppb.New(created), ExpiresAt: timestamppb.New(created), Client: client,
	}}
	return &keyauthv1.SignIn{Identity: a.sessions[token].identity(), Token: token}
}

func (o *opened) identity() *keyauthv1.Identity {
	of := o.person.identity
	return &keyauthv1.Identity{Account: of.GetAccount(), User: of.GetUser(), Session: o.session}
}

func (a *accounts) Register(_ context.Context, r *keyauthv1.RegisterRequest) (*keyauthv1.RegisterResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	in, err := a.join(r.GetEmail(), r.GetPassword(), r.GetName())
	return &keyauthv1.RegisterResponse{SignIn: in}, err
}

func (a *accounts) Claim(_ context.Context, r *keyauthv1.ClaimRequest) (*keyauthv1.ClaimResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.GetToken() != claimToken {
		return nil, apperr.New(apperr.TokenInvalid, "the link was used already or is not valid")
	}
	in, err := a.join(r.GetEmail(), r.GetPassword(), "operator")
	if err == nil {
		in.Identity.Account.Operator = true
	}
	return &keyauthv1.ClaimResponse{SignIn: in}, err
}

func (a *accounts) Login(_ context.Context, r *keyauthv1.LoginRequest) (*keyauthv1.LoginResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.people[r.GetEmail()]
	if p == nil || p.password != r.GetPassword() {
		return nil, apperr.New(apperr.LoginFailed, "the e-mail or the password is wrong")
	}
	return &keyauthv1.LoginResponse{SignIn: a.open(p, r.GetClient())}, nil
}

func (a *accounts) Logout(_ context.Context, r *keyauthv1.LogoutRequest) (*keyauthv1.LogoutResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, r.GetToken())
	return &keyauthv1.LogoutResponse{}, nil
}

func (a *accounts) GetSession(_ context.Context, r *keyauthv1.GetSessionRequest) (*keyauthv1.GetSessionResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.sessions[r.GetToken()]
	if p == nil {
		return nil, apperr.New(apperr.SessionRequired, "no such session")
	}
	return &keyauthv1.GetSessionResponse{Identity: p.identity()}, nil
}

func (a *accounts) find(account string) *person {
	for _, p := range a.people {
		if p.identity.GetAccount().GetId() == account {
			return p
		}
	}
	return &person{identity: &keyauthv1.Identity{}}
}

func (a *accounts) GetAccount(_ context.Context, r *keyauthv1.GetAccountRequest) (*keyauthv1.GetAccountResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &keyauthv1.GetAccountResponse{Account: a.find(r.GetActor().GetAccountId()).identity.GetAccount()}, nil
}

func (a *accounts) UpdateAccount(_ context.Context, r *keyauthv1.UpdateAccountRequest) (*keyauthv1.UpdateAccountResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.find(r.GetActor().GetAccountId()).identity.GetAccount()
	if err := checkLimits(r.GetAccount().GetLimits()); err != nil {
		return nil, err
	}
	if strings.HasPrefix(r.GetAccount().GetWebhookUrl(), "http:") {
		return nil, apperr.New(apperr.InvalidRequest, "the webhook must be an https URL").With("param", "webhook_url")
	}
	a.changed = r
	for _, path := range r.GetMask().GetPaths() {
		assign(at.ProtoReflect(), r.GetAccount().ProtoReflect(), path)
	}
	return &keyauthv1.UpdateAccountResponse{Account: at}, nil
}

func (a *accounts) CreateKey(_ context.Context, r *keyauthv1.CreateKeyRequest) (*keyauthv1.CreateKeyResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.GetSettings().GetName() == "" {
		return nil, apperr.New(apperr.InvalidRequest, "a key needs a name").With("param", "name")
	}
	n := len(a.keys) + 1
	k := &keyauthv1.Key{
		Id: fmt.Sprintf("key_%d", n), Prefix: fmt.Sprintf("sbx_live_%04d", n), Settings: r.GetSettings(),
		State: keyauthv1.KeyState_KEY_STATE_ACTIVE, CreatedAt: timestamppb.New(created),
	}
	a.keys = append(a.keys, &ownedKey{account: r.GetActor().GetAccountId(), key: k})
	return &keyauthv1.CreateKeyResponse{Key: k, Secret: fmt.Sprintf("secret-%d", n)}, nil
}

func (a *accounts) SetBudget(_ context.Context, r *keyauthv1.SetBudgetRequest) (*keyauthv1.SetBudgetResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.budgets == nil {
		a.budgets = map[string]*keyauthv1.ListBudgetsResponse{}
	}
	b := r.GetBudget()
	b.Id = "id of " + b.GetName()
	a.budgets[r.GetActor().GetAccountId()] = &keyauthv1.ListBudgetsResponse{Budgets: []*keyauthv1.Budget{b}, Spent: []*keyauthv1.Spent{
		{Budget: b.GetId() + "/ada", Period: "2026-11-17", NanoUsd: 4}, {Budget: b.GetId(), Period: "2026-11-17", NanoUsd: 3},
		{Budget: b.GetId() + "/ada", Period: "2026-W47", NanoUsd: 2}, {Budget: "another", Period: "2026-11-17", NanoUsd: 1},
	}}
	return &keyauthv1.SetBudgetResponse{Budget: b}, nil
}

func (a *accounts) ListBudgets(_ context.Context, r *keyauthv1.ListBudgetsRequest) (*keyauthv1.ListBudgetsResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if all := a.budgets[r.GetActor().GetAccountId()]; all != nil {
		return all, nil
	}
	return &keyauthv1.ListBudgetsResponse{}, nil
}

func (a *accounts) RemoveBudget(_ context.Context, r *keyauthv1.RemoveBudgetRequest) (*keyauthv1.RemoveBudgetResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.budgets[r.GetActor().GetAccountId()]
	if all == nil || all.GetBudgets()[0].GetId() != r.GetName() {
		return nil, apperr.New(apperr.NotFound, "no such budget")
	}
	delete(a.budgets, r.GetActor().GetAccountId())
	return &keyauthv1.RemoveBudgetResponse{}, nil
}

func (a *accounts) ListKeys(_ context.Context, r *keyauthv1.ListKeysRequest) (*keyauthv1.ListKeysResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	resp := &keyauthv1.ListKeysResponse{}
	for _, k := range a.keys {
		if k.account == r.GetActor().GetAccountId() {
			resp.Keys = append(resp.Keys, k.key)
		}
	}
	return resp, nil
}

func (a *accounts) own(actor *keyauthv1.Actor, id string) (*keyauthv1.Key, error) {
	for _, k := range a.keys {
		if k.account == actor.GetAccountId() && k.key.GetId() == id {
			return k.key, nil
		}
	}
	return nil, apperr.New(apperr.NotFound, "there is no such key")
}

func (a *accounts) UpdateKey(_ context.Context, r *keyauthv1.UpdateKeyRequest) (*keyauthv1.UpdateKeyResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k, err := a.own(r.GetActor(), r.GetKeyId())
	if err != nil {
		return nil, err
	}
	if len(r.GetMask().GetPaths()) == 0 {
		return nil, apperr.New(apperr.InvalidRequest, "name at least one field to change").With("param", "mask")
	}
	if err := checkLimits(r.GetSettings().GetLimits()); err != nil {
		return nil, err
	}
	a.updated = r
	for _, path := range r.GetMask().GetPaths() {
		assign(k.GetSettings().ProtoReflect(), r.GetSettings().ProtoReflect(), path)
	}
	return &keyauthv1.UpdateKeyResponse{Key: k}, nil
}

// assign copies the field named by a path such as limits.tokens_per_minute.
func assign(to, from protoreflect.Message, path string) {
	name, rest, deeper := strings.Cut(path, ".")
	field := to.Descriptor().Fields().ByName(protoreflect.Name(name))
	switch {
	case deeper:
		assign(to.Mutable(field).Message(), from.Get(field).Message(), rest)
	case from.Has(field):
		to.Set(field, from.Get(field))
	default:
		to.Clear(field)
	}
}

func (a *accounts) RotateKey(_ context.Context, r *keyauthv1.RotateKeyRequest) (*keyauthv1.RotateKeyResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k, err := a.own(r.GetActor(), r.GetKeyId())
	if err != nil {
		return nil, err
	}
	next := proto.CloneOf(k)
	next.Id = "key_next"
	return &keyauthv1.RotateKeyResponse{Key: next, Secret: fmt.Sprintf("rotated-%d", r.GetOverlapSeconds())}, nil
}

func (a *accounts) RevokeKey(_ context.Context, r *keyauthv1.RevokeKeyRequest) (*keyauthv1.RevokeKeyResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k, err := a.own(r.GetActor(), r.GetKeyId())
	if err != nil {
		return nil, err
	}
	k.State, k.RevokedAt = keyauthv1.KeyState_KEY_STATE_REVOKED, timestamppb.New(created)
	return &keyauthv1.RevokeKeyResponse{Key: k}, nil
}

// router is a fake router.
type router struct {
	routerv1.UnimplementedRouterServiceServer
}

// WatchPolicy sends one snapshot and keeps the stream open, as the router does.
func (router) WatchPolicy(_ *routerv1.WatchPolicyRequest, stream grpc.ServerStreamingServer[routerv1.WatchPolicyResponse]) error {
	cat, err := catalog.Load()
	if err != nil {
		return err
	}
	p, err := policy.Compile([]byte(served), cat)
	if err != nil {
		return err
	}
	if err := stream.Send(&routerv1.WatchPolicyResponse{}); err != nil {
		return err
	}
	if err := stream.Send(&routerv1.WatchPolicyResponse{Snapshot: &routerv1.PolicySnapshot{Version: p.Version(), Compiled: p.Canonical()}}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return stream.Context().Err()
}

// served is the policy of the fake router.
const served = `version: 1
providers: {anthropic: {}, mine: {kind: openai, base_url: "http://127.0.0.1:1/v1", allow_private: true}}
models:
  claude-sonnet-5-5: {}
  small: {endpoints: [{provider: mine, model: x}], price: {input: "0.1", output: "0.2", tiers: [{above: 1000, input: "0.2", output: "0.4"}]}}
  bare: {endpoints: [{provider: mine, model: y}]}
`

func (router) Status(context.Context, *routerv1.StatusRequest) (*routerv1.StatusResponse, error) {
	return &routerv1.StatusResponse{PolicyVersion: "p1", Candidates: []*routerv1.CandidateStatus{
		{Candidate: &routerv1.Candidate{Model: "small", Provider: "alpha"}, Succeeded: 3, Failed: 1, LastCode: "PROVIDER_TIMEOUT", LatencyUs: 4_000_000, FirstTokenUs: 200_000},
	}, Drains: []*routerv1.Drain{
		{Provider: "openai", Reason: "bills", Author: "op@example.com", Since: timestamppb.New(created)},
	}, Credentials: []*routerv1.CredentialStatus{
		{Provider: "openai", Name: "env:OPENAI_API_KEY", Present: 1, Missing: 2, Rejected: 3},
	}}, nil
}
