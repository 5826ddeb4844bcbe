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

// person is who a command is about.
type person struct {
	operator
	ref string
}

func newPerson(c call) *person {
	p := &person{operator: *newOperator(c)}
	p.set.Argument(&p.ref, "PERSON", "the e-mail, or the id or the beginning of it")
	p.inAccount("all are searched if not given")
	return p
}

func (p *person) find(ctx context.Context) (hit[*keyauthv1.User], error) {
	list := func(a *keyauthv1.Account) ([]*keyauthv1.User, error) {
		r, err := p.accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: as(a)})
		return r.GetUsers(), err
	}
	return search(ctx, &p.operator, "person", p.ref, list, func(u *keyauthv1.User) labels {
		return labels{names: []string{u.GetEmail()}, ids: []string{u.GetId()}}
	})
}

func (p *person) sessions(ctx context.Context, who hit[*keyauthv1.User]) ([]*keyauthv1.Session, error) {
	self := &keyauthv1.Actor{AccountId: who.account.GetId(), UserId: who.id}
	r, err := p.accounts.ListSessions(ctx, &keyauthv1.ListSessionsRequest{Actor: self})
	return r.GetSessions(), err
}

func listSessions(ctx context.Context, c call) error {
	p := newPerson(c)
	return p.with(ctx, func() error {
		who, err := p.find(ctx)
		if err != nil {
			return err
		}
		sessions, err := p.sessions(ctx, who)
		if err != nil {
			return err
		}
		all := items[sessionView]{Items: []sessionView{}}
		rows := [][]string{{"ID", "CREATED", "EXPIRES", "CLIENT"}}
		for _, s := range sessions {
			all.Items = append(all.Items, sessionView{
				ID: s.GetId(), AccountID: who.account.GetId(), UserID: who.id, Client: orNull(s.GetClient()),
				CreatedAt: stamp(s.GetCreatedAt()), ExpiresAt: stamp(s.GetExpiresAt()),
			})
			rows = append(rows, []string{s.GetId(), moment(s.GetCreatedAt()), moment(s.GetExpiresAt()), s.GetClient()})
		}
		return p.show(all, rows...)
	})
}

func endSessions(ctx context.Context, c call) error {
	p := newPerson(c)
	var ref string
	p.set.Func("session", "id of the one session to end, or the beginning of it", given(&ref))
	p.asks()
	return p.with(ctx, func() error {
		who, err := p.find(ctx)
		if err != nil {
			return err
		}
		if ref != "" {
			return p.endOne(ctx, who, ref)
		}
		if err := p.confirm(ctx, fmt.Sprintf("End all sessions of %s, of %s?", who.value.GetEmail(), full(who.account))); err != nil {
			return err
		}
		if _, err := p.accounts.EndSessions(ctx, &keyauthv1.EndSessionsRequest{Actor: as(who.account), UserId: who.id}); err != nil {
			return err
		}
		return p.show(map[string]string{"user_id": who.id}, []string{"Ended", "all sessions of " + who.value.GetEmail()})
	})
}

func (p *person) endOne(ctx context.Context, who hit[*keyauthv1.User], ref string) error {
	sessions, err := p.sessions(ctx, who)
	if err != nil {
		return err
	}
	one, err := pick("session", ref, who.account, sessions, func(s *keyauthv1.Session) labels { return labels{ids: []string{s.GetId()}} })
	if err != nil {
		return err
	}
	if err := p.confirm(ctx, fmt.Sprintf("End the session %s of %s?", one.id, who.value.GetEmail())); err != nil {
		return err
	}
	if _, err := p.accounts.EndSession(ctx, &keyauthv1.EndSessionRequest{Actor: as(who.account), SessionId: one.id}); err != nil {
		return err
	}
	return p.show(map[string]string{"user_id": who.id, "session_id": one.id}, []string{"Ended", one.id})
}
