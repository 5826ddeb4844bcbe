package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// tokenView is an API token in the JSON format of the dashboard's API. Token holds the
// secret. It is set only right after the token was created.
type tokenView struct {
	ID         string   `json:"id"`
	AccountID  string   `json:"account_id"`
	Name       string   `json:"name"`
	Prefix     string   `json:"prefix"`
	Scopes     []string `json:"scopes"`
	UserID     string   `json:"user_id"`
	Email      string   `json:"email"`
	CreatedAt  *string  `json:"created_at"`
	ExpiresAt  *string  `json:"expires_at"`
	LastUsedAt *string  `json:"last_used_at"`
	Token      string   `json:"token,omitempty"`
}

func toTokenView(a *keyauthv1.Account, t *keyauthv1.ApiToken, secret string) tokenView {
	return tokenView{
		ID: t.GetId(), AccountID: a.GetId(), Name: t.GetName(), Prefix: t.GetPrefix(), Scopes: t.GetScopes(), UserID: t.GetUserId(), Email: t.GetEmail(),
		CreatedAt: remote.FormatJSONTime(t.GetCreatedAt()), ExpiresAt: remote.FormatJSONTime(t.GetExpiresAt()),
		LastUsedAt: remote.FormatJSONTime(t.GetLastUsedAt()), Token: secret,
	}
}

func tokenLister(ctx context.Context, o *remote.Command) func(*keyauthv1.Account) ([]*keyauthv1.ApiToken, error) {
	return func(a *keyauthv1.Account) ([]*keyauthv1.ApiToken, error) {
		r, err := o.Accounts.ListApiTokens(ctx, &keyauthv1.ListApiTokensRequest{Actor: remote.ActorFor(a)})
		return r.GetTokens(), err
	}
}

func listTokens(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		tokens, err := tokenLister(ctx, o)(a)
		if err != nil {
			return err
		}
		all := cli.List[tokenView]{Items: []tokenView{}}
		rows := [][]string{{"ID", "TOKEN", "NAME", "USER", "SCOPES", "EXPIRES", "LAST USED"}}
		for _, t := range tokens {
			all.Items = append(all.Items, toTokenView(a, t, ""))
			rows = append(rows, []string{
				t.GetId(), t.GetPrefix(), t.GetName(), t.GetEmail(), strings.Join(t.GetScopes(), ","),
				remote.FormatTableTime(t.GetExpiresAt()), remote.FormatTableTime(t.GetLastUsedAt()),
			})
		}
		return o.PrintResult(all, rows...)
	})
}

func createToken(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	q := &keyauthv1.CreateApiTokenRequest{Scopes: []string{"read"}}
	var user string
	o.Flags.Func("name", "display name", parseText(&q.Name))
	o.Flags.Func("scopes", "what the token may do: read, write, keys, policy, separated by commas; default: read", parseWords(&q.Scopes))
	o.Flags.Func("user", "e-mail address or id of the user as whom the token acts; default: the oldest owner of the account", cli.NonEmpty(&user))
	o.Flags.Func("expires", "expiry: 90d, 12h, 2027-01-31 or an RFC 3339 time; default: 90d; at most 366d", parseTokenExpiry(&q.ExpiresAt))
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		u, err := tokenUser(ctx, o, a, user)
		if err != nil {
			return err
		}
		q.Actor, q.UserId = remote.ActorFor(a), u.GetId()
		r, err := o.Accounts.CreateApiToken(ctx, q)
		if err != nil {
			return err
		}
		t := r.GetToken()
		return o.PrintResult(toTokenView(a, t, r.GetSecret()), []string{"Token", r.GetSecret(), "(shown only once)"},
			[]string{"ID", t.GetId()}, []string{"Name", t.GetName()}, []string{"User", t.GetEmail()}, []string{"Account", remote.AccountLabel(a)},
			[]string{"Scopes", strings.Join(t.GetScopes(), ",")}, []string{"Expires", remote.FormatTableTime(t.GetExpiresAt())})
	})
}

// parseTokenExpiry refuses never: every token expires.
func parseTokenExpiry(p **timestamppb.Timestamp) func(string) error {
	return func(v string) error {
		if v == "never" {
			return errors.New("every token expires; use at most 366d")
		}
		return parseExpiry(p)(v)
	}
}

// tokenUser returns the user of an account by e-mail address or id, or the oldest owner.
func tokenUser(ctx context.Context, o *remote.Command, a *keyauthv1.Account, ref string) (*keyauthv1.User, error) {
	r, err := o.Accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: remote.ActorFor(a)})
	if err != nil {
		return nil, err
	}
	if ref != "" {
		found, err := remote.PickOne("user", ref, a, r.GetUsers(), func(u *keyauthv1.User) remote.Labels {
			return remote.Labels{Names: []string{u.GetEmail()}, IDs: []string{u.GetId()}}
		})
		return found.Value, err
	}
	for _, u := range r.GetUsers() { // oldest first
		if u.GetRole() == keyauthv1.Role_ROLE_OWNER {
			return u, nil
		}
	}
	return nil, fmt.Errorf("%s has no owner as whom the token could act; claim the account first, or name a user with --user", remote.AccountLabel(a))
}

func revokeToken(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var ref string
	o.Flags.Argument(&ref, "TOKEN", "token id, or the start of the id")
	o.AddAccountFlag("default: search all accounts")
	o.AddYesFlag()
	return o.RunWithKeyauth(ctx, func() error {
		found, err := remote.SearchAccounts(ctx, o, "token", ref, tokenLister(ctx, o), func(t *keyauthv1.ApiToken) remote.Labels {
			return remote.Labels{IDs: []string{t.GetId()}}
		})
		if err != nil {
			return err
		}
		if err := o.Confirm(ctx, fmt.Sprintf("Revoke the token %s (%s) of %s permanently?", found.Value.GetName(), found.Value.GetEmail(), remote.AccountLabel(found.Account))); err != nil {
			return err
		}
		if _, err := o.Accounts.RevokeApiToken(ctx, &keyauthv1.RevokeApiTokenRequest{Actor: remote.ActorFor(found.Account), ApiTokenId: found.ID}); err != nil {
			return err
		}
		return o.PrintResult(toTokenView(found.Account, found.Value, ""), []string{"Revoked", found.ID})
	})
}
