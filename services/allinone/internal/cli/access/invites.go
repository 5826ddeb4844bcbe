package access

import (
	"context"
	"errors"
	"fmt"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
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
		ID: i.GetId(), AccountID: a.GetId(), Role: cli.NullIfEmpty(remote.EnumWord(i.GetRole(), "ROLE_")),
		CreatedAt: remote.FormatJSONTime(i.GetCreatedAt()), ExpiresAt: remote.FormatJSONTime(i.GetExpiresAt()), UserID: cli.NullIfEmpty(i.GetUserId()),
	}
}

func inviteLister(ctx context.Context, o *remote.Command) func(*keyauthv1.Account) ([]*keyauthv1.Invite, error) {
	return func(a *keyauthv1.Account) ([]*keyauthv1.Invite, error) {
		r, err := o.Accounts.ListInvites(ctx, &keyauthv1.ListInvitesRequest{Actor: remote.ActorFor(a)})
		return r.GetInvites(), err
	}
}

func listInvites(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		invites, err := inviteLister(ctx, o)(a)
		if err != nil {
			return err
		}
		all := cli.List[inviteView]{Items: []inviteView{}}
		rows := [][]string{{"ID", "ROLE", "CREATED", "EXPIRES"}}
		for _, i := range invites {
			all.Items = append(all.Items, toInviteView(a, i))
			rows = append(rows, []string{i.GetId(), remote.EnumWord(i.GetRole(), "ROLE_"), remote.FormatTableTime(i.GetCreatedAt()), remote.FormatTableTime(i.GetExpiresAt())})
		}
		return o.PrintResult(all, rows...)
	})
}

func createInvite(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	o.AddAccountFlag("default: the operator's account")
	var role string
	var newAccount bool
	o.Flags.OneOf(&role, "role", "member", []string{"viewer", "member", "owner"}, "role of the new user in the account")
	o.Flags.Bool(&newAccount, "new-account", false, "let the invited user create and own a new account")
	return o.RunWithKeyauth(ctx, func() error {
		if newAccount && o.Account != "" {
			return errors.New("--new-account and --account cannot be combined")
		}
		a, err := o.SelectedAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.Accounts.CreateInvite(ctx, &keyauthv1.CreateInviteRequest{Actor: remote.ActorFor(a), Role: inviteRole(role, newAccount), NewAccount: newAccount})
		if err != nil {
			return err
		}
		url := o.TokenURL("/invite", r.GetToken())
		return o.PrintResult(linkView{url, r.GetToken(), remote.FormatJSONTime(r.GetExpiresAt())},
			[]string{"Link", url, "(works once, until " + remote.FormatTableTime(r.GetExpiresAt()) + ")"})
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

func revokeInvite(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var ref string
	o.Flags.Argument(&ref, "INVITE", "invite id, or the start of it")
	o.AddAccountFlag("default: search all accounts")
	o.AddYesFlag()
	return o.RunWithKeyauth(ctx, func() error {
		found, err := remote.SearchAccounts(ctx, o, "invite", ref, inviteLister(ctx, o), func(i *keyauthv1.Invite) remote.Labels { return remote.Labels{IDs: []string{i.GetId()}} })
		if err != nil {
			return err
		}
		if err := o.Confirm(ctx, fmt.Sprintf("Revoke the invite %s to %s?", found.ID, remote.AccountLabel(found.Account))); err != nil {
			return err
		}
		if _, err := o.Accounts.RevokeInvite(ctx, &keyauthv1.RevokeInviteRequest{Actor: remote.ActorFor(found.Account), InviteId: found.ID}); err != nil {
			return err
		}
		return o.PrintResult(toInviteView(found.Account, found.Value), []string{"Revoked", found.ID})
	})
}
