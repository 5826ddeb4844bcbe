package access

import (
	"context"
	"fmt"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// signInView is a session of a user: a browser that is signed in.
type signInView struct {
	ID        string  `json:"id"`
	AccountID string  `json:"account_id"`
	UserID    string  `json:"user_id"`
	Client    *string `json:"client"`
	CreatedAt *string `json:"created_at"`
	ExpiresAt *string `json:"expires_at"`
}

// userCommand is a command for one user.
type userCommand struct {
	*remote.Command
	ref string
}

func newUserCommand(c cli.Invocation) *userCommand {
	p := &userCommand{Command: remote.NewCommand(c)}
	p.Flags.Argument(&p.ref, "USER", "e-mail address, user id, or the start of the id")
	p.AddAccountFlag("default: search all accounts")
	return p
}

func (p *userCommand) findUser(ctx context.Context) (remote.Match[*keyauthv1.User], error) {
	list := func(a *keyauthv1.Account) ([]*keyauthv1.User, error) {
		r, err := p.Accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: remote.ActorFor(a)})
		return r.GetUsers(), err
	}
	return remote.SearchAccounts(ctx, p.Command, "user", p.ref, list, func(u *keyauthv1.User) remote.Labels {
		return remote.Labels{Names: []string{u.GetEmail()}, IDs: []string{u.GetId()}}
	})
}

func (p *userCommand) fetchSignIns(ctx context.Context, user remote.Match[*keyauthv1.User]) ([]*keyauthv1.Session, error) {
	self := &keyauthv1.Actor{AccountId: user.Account.GetId(), UserId: user.ID}
	r, err := p.Accounts.ListSessions(ctx, &keyauthv1.ListSessionsRequest{Actor: self})
	return r.GetSessions(), err
}

func listSignIns(ctx context.Context, c cli.Invocation) error {
	p := newUserCommand(c)
	return p.RunWithKeyauth(ctx, func() error {
		user, err := p.findUser(ctx)
		if err != nil {
			return err
		}
		sessions, err := p.fetchSignIns(ctx, user)
		if err != nil {
			return err
		}
		all := cli.List[signInView]{Items: []signInView{}}
		rows := [][]string{{"ID", "CREATED", "EXPIRES", "CLIENT"}}
		for _, s := range sessions {
			all.Items = append(all.Items, signInView{
				ID: s.GetId(), AccountID: user.Account.GetId(), UserID: user.ID, Client: cli.NullIfEmpty(s.GetClient()),
				CreatedAt: remote.FormatJSONTime(s.GetCreatedAt()), ExpiresAt: remote.FormatJSONTime(s.GetExpiresAt()),
			})
			rows = append(rows, []string{s.GetId(), remote.FormatTableTime(s.GetCreatedAt()), remote.FormatTableTime(s.GetExpiresAt()), s.GetClient()})
		}
		return p.PrintResult(all, rows...)
	})
}

func endSignIns(ctx context.Context, c cli.Invocation) error {
	p := newUserCommand(c)
	var ref string
	p.Flags.Func("sign-in", "end only this sign-in: its id, or the start of it", cli.NonEmpty(&ref))
	p.AddYesFlag()
	return p.RunWithKeyauth(ctx, func() error {
		user, err := p.findUser(ctx)
		if err != nil {
			return err
		}
		if ref != "" {
			return p.endOneSignIn(ctx, user, ref)
		}
		if err := p.Confirm(ctx, fmt.Sprintf("End all sign-ins of %s in %s?", user.Value.GetEmail(), remote.AccountLabel(user.Account))); err != nil {
			return err
		}
		if _, err := p.Accounts.EndSessions(ctx, &keyauthv1.EndSessionsRequest{Actor: remote.ActorFor(user.Account), UserId: user.ID}); err != nil {
			return err
		}
		return p.PrintResult(map[string]string{"user_id": user.ID}, []string{"Ended", "all sign-ins of " + user.Value.GetEmail()})
	})
}

func (p *userCommand) endOneSignIn(ctx context.Context, user remote.Match[*keyauthv1.User], ref string) error {
	sessions, err := p.fetchSignIns(ctx, user)
	if err != nil {
		return err
	}
	one, err := remote.PickOne("sign-in", ref, user.Account, sessions, func(s *keyauthv1.Session) remote.Labels { return remote.Labels{IDs: []string{s.GetId()}} })
	if err != nil {
		return err
	}
	if err := p.Confirm(ctx, fmt.Sprintf("End the sign-in %s of %s?", one.ID, user.Value.GetEmail())); err != nil {
		return err
	}
	if _, err := p.Accounts.EndSession(ctx, &keyauthv1.EndSessionRequest{Actor: remote.ActorFor(user.Account), SessionId: one.ID}); err != nil {
		return err
	}
	return p.PrintResult(map[string]string{"user_id": user.ID, "sign_in_id": one.ID}, []string{"Ended", one.ID})
}
