package main

import (
	"context"
	"errors"
	"fmt"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

type inviteView struct {
	ID        string  `json:"id"`
	AccountID string  `json:"account_id"`
	Role      *string `json:"role"`
	CreatedAt *string `json:"created_at"`
	ExpiresAt *string `json:"expires_at"`
	UserID    *string `json:"user_id"`
}

func viewInvite(a *keyauthv1.Account, i *keyauthv1.Invite) inviteView {
	return inviteView{
		ID: i.GetId(), AccountID: a.GetId(), Role: orNull(word(i.GetRole(), "ROLE_")),
		CreatedAt: stamp(i.GetCreatedAt()), ExpiresAt: stamp(i.GetExpiresAt()), UserID: orNull(i.GetUserId()),
	}
}

func (o *operator) invites(ctx context.Context) func(*keyauthv1.Account) ([]*keyauthv1.Invite, error) {
	return func(a *keyauthv1.Account) ([]*keyauthv1.Invite, error) {
		r, err := o.accounts.ListInvites(ctx, &keyauthv1.ListInvitesRequest{Actor: as(a)})
		return r.GetInvites(), err
	}
}

func listInvites(ctx context.Context, c call) error {
	o := newOperator(c)
	o.inAccount("the operator's if not given")
	return o.with(ctx, func() error {
		a, err := o.theAccount(ctx)
		if err != nil {
			return err
		}
		invites, err := o.invites(ctx)(a)
		if err != nil {
			return err
		}
		all := items[inviteView]{Items: []inviteView{}}
		rows := [][]string{{"ID", "ROLE", "CREATED", "EXPIRES"}}
		for _, i := range invites {
			all.Items = append(all.Items, viewInvite(a, i))
			rows = append(rows, []string{i.GetId(), word(i.GetRole(), "ROLE_"), moment(i.GetCreatedAt()), moment(i.GetExpiresAt())})
		}
		return o.show(all, rows...)
	})
}

func createInvite(ctx context.Context, c call) error {
	o := newOperator(c)
	o.inAccount("the operator's if not given")
	var role string
	var fresh bool
	o.set.OneOf(&role, "role", "member", []string{"viewer", "member", "owner"}, "what the person will be in the account")
	o.set.Bool(&fresh, "new-account", false, "let the person make an account of their own, and own it")
	return o.with(ctx, func() error {
		if fresh && o.account != "" {
			return errors.New("--new-account and --account exclude each other")
		}
		a, err := o.theAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.accounts.CreateInvite(ctx, &keyauthv1.CreateInviteRequest{Actor: as(a), Role: roleOf(role, fresh), NewAccount: fresh})
		if err != nil {
			return err
		}
		url := o.link("/invite", r.GetToken())
		return o.show(linkView{url, r.GetToken(), stamp(r.GetExpiresAt())},
			[]string{"Link", url, "(works once, until " + moment(r.GetExpiresAt()) + ")"})
	})
}

// roleOf is what the invited will be; whoever makes an account owns it.
func roleOf(role string, fresh bool) keyauthv1.Role {
	switch {
	case fresh || role == "owner":
		return keyauthv1.Role_ROLE_OWNER
	case role == "viewer":
		return keyauthv1.Role_ROLE_VIEWER
	}
	return keyauthv1.Role_ROLE_MEMBER
}

func revokeInvite(ctx context.Context, c call) error {
	o := newOperator(c)
	var ref string
	o.set.Argument(&ref, "INVITE", "its id, or the beginning of it")
	o.inAccount("all are searched if not given")
	o.asks()
	return o.with(ctx, func() error {
		h, err := search(ctx, o, "invite", ref, o.invites(ctx), func(i *keyauthv1.Invite) labels { return labels{ids: []string{i.GetId()}} })
		if err != nil {
			return err
		}
		if err := o.confirm(ctx, fmt.Sprintf("End the invite %s into %s?", h.id, full(h.account))); err != nil {
			return err
		}
		if _, err := o.accounts.RevokeInvite(ctx, &keyauthv1.RevokeInviteRequest{Actor: as(h.account), InviteId: h.id}); err != nil {
			return err
		}
		return o.show(viewInvite(h.account, h.value), []string{"Ended", h.id})
	})
}
