package main

import (
	"context"
	"fmt"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

type sessionView struct {
	ID        string  `json:"id"`
	AccountID string  `json:"account_id"`
	UserID    string  `json:"user_id"`
	Client    *string `json:"client"`
	CreatedAt *string `json:"created_at"`
	ExpiresAt *string `json:"expires_at"`
}

// userCommand is a command for one user.
type userCommand struct {
	operatorCommand
	ref string
}

func newUserCommand(c invocation) *userCommand {
	p := &userCommand{operatorCommand: *newOperatorCommand(c)}
	p.set.Argument(&p.ref, "USER", "e-mail address, user id, or the start of the id")
	p.addAccountFlag("default: search all accounts")
	return p
}

func (p *userCommand) findUser(ctx context.Context) (match[*keyauthv1.User], error) {
	list := func(a *keyauthv1.Account) ([]*keyauthv1.User, error) {
		r, err := p.accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: actorFor(a)})
		return r.GetUsers(), err
	}
	return searchAccounts(ctx, &p.operatorCommand, "user", p.ref, list, func(u *keyauthv1.User) labels {
		return labels{names: []string{u.GetEmail()}, ids: []string{u.GetId()}}
	})
}

func (p *userCommand) fetchSessions(ctx context.Context, user match[*keyauthv1.User]) ([]*keyauthv1.Session, error) {
	self := &keyauthv1.Actor{AccountId: user.account.GetId(), UserId: user.id}
	r, err := p.accounts.ListSessions(ctx, &keyauthv1.ListSessionsRequest{Actor: self})
	return r.GetSessions(), err
}

func listSessions(ctx context.Context, c invocation) error {
	p := newUserCommand(c)
	return p.runWithService(ctx, func() error {
		user, err := p.findUser(ctx)
		if err != nil {
			return err
		}
		sessions, err := p.fetchSessions(ctx, user)
		if err != nil {
			return err
		}
		all := items[sessionView]{Items: []sessionView{}}
		rows := [][]string{{"ID", "CREATED", "EXPIRES", "CLIENT"}}
		for _, s := range sessions {
			all.Items = append(all.Items, sessionView{
				ID: s.GetId(), AccountID: user.account.GetId(), UserID: user.id, Client: nullIfEmpty(s.GetClient()),
				CreatedAt: formatJSONTime(s.GetCreatedAt()), ExpiresAt: formatJSONTime(s.GetExpiresAt()),
			})
			rows = append(rows, []string{s.GetId(), formatTableTime(s.GetCreatedAt()), formatTableTime(s.GetExpiresAt()), s.GetClient()})
		}
		return p.printResult(all, rows...)
	})
}

func endSessions(ctx context.Context, c invocation) error {
	p := newUserCommand(c)
	var ref string
	p.set.Func("session", "end only this session: its id, or the start of it", nonEmpty(&ref))
	p.addYesFlag()
	return p.runWithService(ctx, func() error {
		user, err := p.findUser(ctx)
		if err != nil {
			return err
		}
		if ref != "" {
			return p.endOneSession(ctx, user, ref)
		}
		if err := p.confirm(ctx, fmt.Sprintf("End all sessions of %s in %s?", user.value.GetEmail(), accountLabel(user.account))); err != nil {
			return err
		}
		if _, err := p.accounts.EndSessions(ctx, &keyauthv1.EndSessionsRequest{Actor: actorFor(user.account), UserId: user.id}); err != nil {
			return err
		}
		return p.printResult(map[string]string{"user_id": user.id}, []string{"Ended", "all sessions of " + user.value.GetEmail()})
	})
}

func (p *userCommand) endOneSession(ctx context.Context, user match[*keyauthv1.User], ref string) error {
	sessions, err := p.fetchSessions(ctx, user)
	if err != nil {
		return err
	}
	one, err := pickOne("session", ref, user.account, sessions, func(s *keyauthv1.Session) labels { return labels{ids: []string{s.GetId()}} })
	if err != nil {
		return err
	}
	if err := p.confirm(ctx, fmt.Sprintf("End the session %s of %s?", one.id, user.value.GetEmail())); err != nil {
		return err
	}
	if _, err := p.accounts.EndSession(ctx, &keyauthv1.EndSessionRequest{Actor: actorFor(user.account), SessionId: one.id}); err != nil {
		return err
	}
	return p.printResult(map[string]string{"user_id": user.id, "session_id": one.id}, []string{"Ended", one.id})
}
