package dashboard_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// invite is a pending invite or, with an e-mail, a password reset.
type invite struct {
	account, email string
	shown          *keyauthv1.Invite
}

const resetToken = "reset-me"

func (a *accounts) CreateInvite(_ context.Context, r *keyauthv1.CreateInviteRequest) (*keyauthv1.CreateInviteResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.invites) + 1
	token := fmt.Sprintf("invite+%d", n)
	a.invites[token] = &invite{account: r.GetActor().GetAccountId(), shown: &keyauthv1.Invite{
		Id: fmt.Sprintf("inv_%d", n), Role: r.GetRole(), CreatedAt: timestamppb.New(created), ExpiresAt: timestamppb.New(created),
		UserId: r.GetActor().GetUserId(), NewAccount: r.GetNewAccount(),
	}}
	return &keyauthv1.CreateInviteResponse{Id: a.invites[token].shown.GetId(), Token: token, ExpiresAt: timestamppb.New(created)}, nil
}

func (a *accounts) ListInvites(_ context.Context, r *keyauthv1.ListInvitesRequest) (*keyauthv1.ListInvitesResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	resp := &keyauthv1.ListInvitesResponse{}
	for _, i := range a.invites {
		if i.account == r.GetActor().GetAccountId() {
			resp.Invites = append(resp.Invites, i.shown)
		}
	}
	return resp, nil
}

func (a *accounts) RevokeInvite(_ context.Context, r *keyauthv1.RevokeInviteRequest) (*keyauthv1.RevokeInviteResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for token, i := range a.invites {
		if i.account == r.GetActor().GetAccountId() && i.shown.GetId() == r.GetInviteId() {
			delete(a.invites, token)
			return &keyauthv1.RevokeInviteResponse{}, nil
		}
	}
	return nil, apperr.New(apperr.NotFound, "no such invite")
}

func (a *accounts) AcceptInvite(_ context.Context, r *keyauthv1.AcceptInviteRequest) (*keyauthv1.AcceptInviteResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.invites[r.GetToken()]
	if i == nil {
		return nil, apperr.New(apperr.TokenInvalid, "this link is not valid, or was already used")
	}
	host := a.find(i.account).identity.GetAccount()
	in, err := a.join(r.GetEmail(), r.GetPassword(), r.GetName())
	if err != nil {
		return nil, err
	}
	delete(a.invites, r.GetToken())
	p := a.people[r.GetEmail()]
	p.identity.Account, p.identity.User.Role = host, i.shown.GetRole()
	in.Identity = a.sessions[in.GetToken()].identity()
	return &keyauthv1.AcceptInviteResponse{SignIn: in}, nil
}

// member returns a user of the actor's account.
func (a *accounts) member(actor *keyauthv1.Actor, id string) (*person, error) {
	for _, p := range a.people {
		if p.identity.GetAccount().GetId() == actor.GetAccountId() && p.identity.GetUser().GetId() == id {
			return p, nil
		}
	}
	return nil, apperr.New(apperr.NotFound, "no such user")
}

func (a *accounts) ListUsers(_ context.Context, r *keyauthv1.ListUsersRequest) (*keyauthv1.ListUsersResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	resp := &keyauthv1.ListUsersResponse{}
	for _, p := range a.people {
		if p.identity.GetAccount().GetId() == r.GetActor().GetAccountId() {
			resp.Users = append(resp.Users, p.identity.GetUser())
		}
	}
	slices.SortFunc(resp.Users, func(x, y *keyauthv1.User) int { return strings.Compare(x.GetId(), y.GetId()) })
	return resp, nil
}

func (a *accounts) UpdateUser(_ context.Context, r *keyauthv1.UpdateUserRequest) (*keyauthv1.UpdateUserResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.member(r.GetActor(), r.GetUserId())
	if err != nil {
		return nil, err
	}
	if r.GetUserId() == r.GetActor().GetUserId() {
		return nil, apperr.New(apperr.InvalidRequest, "an account needs at least one owner")
	}
	p.identity.User.Role = r.GetRole()
	return &keyauthv1.UpdateUserResponse{User: p.identity.GetUser()}, nil
}

func (a *accounts) RemoveUser(_ context.Context, r *keyauthv1.RemoveUserRequest) (*keyauthv1.RemoveUserResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.member(r.GetActor(), r.GetUserId())
	if err != nil {
		return nil, err
	}
	delete(a.people, p.identity.GetUser().GetEmail())
	a.end(func(o *opened) bool { return o.person == p })
	return &keyauthv1.RemoveUserResponse{}, nil
}

func (a *accounts) end(which func(*opened) bool) (n int) {
	for token, o := range a.sessions {
		if which(o) {
			delete(a.sessions, token)
			n++
		}
	}
	return n
}

func by(actor *keyauthv1.Actor) func(*opened) bool {
	return func(o *opened) bool { return o.person.identity.GetUser().GetId() == actor.GetUserId() }
}

func (a *accounts) ListSessions(_ context.Context, r *keyauthv1.ListSessionsRequest) (*keyauthv1.ListSessionsResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	resp := &keyauthv1.ListSessionsResponse{}
	for _, o := range a.sessions {
		if by(r.GetActor())(o) {
			resp.Sessions = append(resp.Sessions, o.session)
		}
	}
	slices.SortFunc(resp.Sessions, func(x, y *keyauthv1.Session) int { return strings.Compare(y.GetId(), x.GetId()) })
	return resp, nil
}

func (a *accounts) EndSession(_ context.Context, r *keyauthv1.EndSessionRequest) (*keyauthv1.EndSessionResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.end(func(o *opened) bool { return by(r.GetActor())(o) && o.session.GetId() == r.GetSessionId() }) == 0 {
		return nil, apperr.New(apperr.NotFound, "no such session")
	}
	return &keyauthv1.EndSessionResponse{}, nil
}

func (a *accounts) EndSessions(_ context.Context, r *keyauthv1.EndSessionsRequest) (*keyauthv1.EndSessionsResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(func(o *opened) bool { return by(r.GetActor())(o) && o.session.GetId() != r.GetExceptSessionId() })
	return &keyauthv1.EndSessionsResponse{}, nil
}

func (a *accounts) ChangePassword(_ context.Context, r *keyauthv1.ChangePasswordRequest) (*keyauthv1.ChangePasswordResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.member(r.GetActor(), r.GetActor().GetUserId())
	if err != nil {
		return nil, err
	}
	if p.password != r.GetCurrent() {
		return nil, apperr.New(apperr.InvalidRequest, "the current password is wrong").With("param", "current")
	}
	p.password = r.GetPassword()
	a.end(by(r.GetActor()))
	return &keyauthv1.ChangePasswordResponse{SignIn: a.open(p, "")}, nil
}

func (a *accounts) SetPassword(_ context.Context, r *keyauthv1.SetPasswordRequest) (*keyauthv1.SetPasswordResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.invites[r.GetToken()]
	if i == nil {
		return nil, apperr.New(apperr.TokenInvalid, "this link is not valid, or was already used")
	}
	if r.GetPassword() == "" {
		return nil, apperr.New(apperr.InvalidRequest, "enter a password").With("param", "password")
	}
	delete(a.invites, r.GetToken())
	p := a.people[i.email]
	p.password = r.GetPassword()
	return &keyauthv1.SetPasswordResponse{SignIn: a.open(p, r.GetClient())}, nil
}

func (a *accounts) ListAudit(_ context.Context, r *keyauthv1.ListAuditRequest) (*keyauthv1.ListAuditResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.audited = r
	resp := &keyauthv1.ListAuditResponse{}
	for _, e := range slices.Backward(a.events) {
		switch {
		case r.GetBefore() != 0 && e.GetVersion() >= r.GetBefore():
		case len(resp.GetEvents()) == int(r.GetLimit()):
			resp.Next = resp.GetEvents()[r.GetLimit()-1].GetVersion()
		default:
			resp.Events = append(resp.Events, e)
		}
	}
	return resp, nil
}

func (a *accounts) RecordPolicyChange(_ context.Context, r *keyauthv1.RecordPolicyChangeRequest) (*keyauthv1.RecordPolicyChangeResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes = append(a.changes, r)
	return &keyauthv1.RecordPolicyChangeResponse{}, nil
}

func (a *accounts) RecordRolloutEvent(_ context.Context, r *keyauthv1.RecordRolloutEventRequest) (*keyauthv1.RecordRolloutEventResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rolloutEvents = append(a.rolloutEvents, r)
	return &keyauthv1.RecordRolloutEventResponse{}, nil
}

func (a *accounts) ListAccounts(_ context.Context, r *keyauthv1.ListAccountsRequest) (*keyauthv1.ListAccountsResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	resp := &keyauthv1.ListAccountsResponse{Next: "after-" + fmt.Sprint(r.GetAfter(), r.GetLimit())}
	for _, p := range a.people {
		resp.Accounts = append(resp.Accounts, p.identity.GetAccount())
	}
	return resp, nil
}

func (a *accounts) ReportUse(_ context.Context, r *keyauthv1.ReportUseRequest) (*keyauthv1.ReportUseResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.uses = append(a.uses, r.GetUses()...)
	return &keyauthv1.ReportUseResponse{}, nil
}
