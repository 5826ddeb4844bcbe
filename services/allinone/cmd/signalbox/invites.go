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

func toInviteView(a *keyauthv1.Account, i *keyauthv1.Invite) inviteView {
	return inviteView{
		ID: i.GetId(), AccountID: a.GetId(), Role: nullIfEmpty(enumWord(i.GetRole(), "ROLE_")),
		CreatedAt: formatJSONTime(i.GetCreatedAt()), ExpiresAt: formatJSONTime(i.GetExpiresAt()), UserID: nullIfEmpty(i.GetUserId()),
	}
}

func (o *operatorCommand) inviteLister(ctx context.Context) func(*keyauthv1.Account) ([]*keyauthv1.Invite, error) {
	return func(a *keyauthv1.Account) ([]*keyauthv1.Invite, error) {
		r, err := o.accounts.ListInvites(ctx, &keyauthv1.ListInvitesRequest{Actor: actorFor(a)})
		return r.GetInvites(), err
	}
}

func listInvites(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	o.addAccountFlag("default: the operator's account")
	return o.runWithService(ctx, func() error {
		a, err := o.selectedAccount(ctx)
		if err != nil {
			return err
		}
		invites, err := o.inviteLister(ctx)(a)
		if err != nil {
			return err
		}
		all := items[inviteView]{Items: []inviteView{}}
		rows := [][]string{{"ID", "ROLE", "CREATED", "EXPIRES"}}
		for _, i := range invites {
			all.Items = append(all.Items, toInviteView(a, i))
			rows = append(rows, []string{i.GetId(), enumWord(i.GetRole(), "ROLE_"), formatTableTime(i.GetCreatedAt()), formatTableTime(i.GetExpiresAt())})
		}
		return o.printResult(all, rows...)
	})
}

func createInvite(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	o.addAccountFlag("default: the operator's account")
	var role string
	var newAccount bool
	o.set.OneOf(&role, "role", "member", []string{"viewer", "member", "owner"}, "role of the new user in the account")
	o.set.Bool(&newAccount, "new-account", false, "let the invited user create and own a new account")
	return o.runWithService(ctx, func() error {
		if newAccount && o.account != "" {
			return errors.New("--new-account and --account cannot be combined")
		}
		a, err := o.selectedAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.accounts.CreateInvite(ctx, &keyauthv1.CreateInviteRequest{Actor: actorFor(a), Role: inviteRole(role, newAccount), NewAccount: newAccount})
		if err != nil {
			return err
		}
		url := o.tokenURL("/invite", r.GetToken())
		return o.printResult(linkView{url, r.GetToken(), formatJSONTime(r.GetExpiresAt())},
			[]string{"Link", url, "(works once, until " + formatTableTime(r.GetExpiresAt()) + ")"})
	})
}

// inviteRole returns the role of the invited user. A user who creates a new account is its owner.
func inviteRole(role string, newAccount bool) keyauthv1.Role {
	switch {
	case newAccount || role == "owner":
		return keyauthv1.Role_ROLE_OWNER
	case role == "viewer":
		return keyauthv1.Role_ROLE_VIEWER
	}
	return keyauthv1.Role_ROLE_MEMBER
}

func revokeInvite(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	var ref string
	o.set.Argument(&ref, "INVITE", "invite id, or the start of it")
	o.addAccountFlag("default: search all accounts")
	o.addYesFlag()
	return o.runWithService(ctx, func() error {
		found, err := searchAccounts(ctx, o, "invite", ref, o.inviteLister(ctx), func(i *keyauthv1.Invite) labels { return labels{ids: []string{i.GetId()}} })
		if err != nil {
			return err
		}
		if err := o.confirm(ctx, fmt.Sprintf("Revoke the invite %s to %s?", found.id, accountLabel(found.account))); err != nil {
			return err
		}
		if _, err := o.accounts.RevokeInvite(ctx, &keyauthv1.RevokeInviteRequest{Actor: actorFor(found.account), InviteId: found.id}); err != nil {
			return err
		}
		return o.printResult(toInviteView(found.account, found.value), []string{"Revoked", found.id})
	})
}
