package remote

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/certs"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// pageSize is the largest page that keyauth returns.
const pageSize = 1000

// selectedAccounts iterates over the account of --account. Without the flag, it iterates over all accounts.
func (o *Command) selectedAccounts(ctx context.Context) iter.Seq2[*keyauthv1.Account, error] {
	if o.Account == "" {
		return o.AllAccounts(ctx)
	}
	return func(yield func(*keyauthv1.Account, error) bool) { yield(o.namedAccount(ctx)) }
}

// AllAccounts iterates over all accounts. It ends at the first error, which it yields without an account.
func (o *Command) AllAccounts(ctx context.Context) iter.Seq2[*keyauthv1.Account, error] {
	if o.usesToken() {
		return func(yield func(*keyauthv1.Account, error) bool) { yield(o.tokenAccount(ctx)) }
	}
	return func(yield func(*keyauthv1.Account, error) bool) {
		after := ""
		for {
			page, err := o.Accounts.ListAccounts(ctx, &keyauthv1.ListAccountsRequest{After: after, Limit: pageSize})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, a := range page.GetAccounts() {
				if !yield(a, nil) {
					return
				}
			}
			if after = page.GetNext(); after == "" {
				return
			}
		}
	}
}

// namedAccount returns the account of --account. Account names are not unique,
// so namedAccount prints which account it found before the command changes anything.
func (o *Command) namedAccount(ctx context.Context) (*keyauthv1.Account, error) {
	a, err := o.FindAccount(ctx, o.Account)
	if err == nil && !o.JSON && o.Account != a.GetId() {
		_, _ = fmt.Fprintln(o.Err, "Account", cli.Sanitize(AccountLabel(a)))
	}
	return a, err
}

// AccountLabel returns the name with the id, because names are not unique.
func AccountLabel(a *keyauthv1.Account) string { return a.GetName() + " (" + a.GetId() + ")" }

// FindAccount returns the account that ref refers to: an id, the start of an id, or a
// name. "operator" always means the operator's account, even if another account has
// this name.
func (o *Command) FindAccount(ctx context.Context, ref string) (*keyauthv1.Account, error) {
	if o.usesToken() {
		return o.checkTokenAccount(ctx, ref)
	}
	if strings.EqualFold(ref, certs.Operator) {
		return o.operatorAccount(ctx)
	}
	if id, err := uuid.Parse(ref); err == nil {
		r, err := o.Accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: &keyauthv1.Actor{AccountId: id.String()}})
		return r.GetAccount(), err
	}
	allAccounts := *o
	allAccounts.Account = ""
	self := func(a *keyauthv1.Account) ([]*keyauthv1.Account, error) { return []*keyauthv1.Account{a}, nil }
	found, err := SearchAccounts(ctx, &allAccounts, "account", ref, self, func(a *keyauthv1.Account) Labels {
		return Labels{Names: []string{a.GetName()}, IDs: []string{a.GetId()}}
	})
	return found.Account, err
}

// SelectedAccount returns the account of --account. Without the flag, it returns the operator's account.
func (o *Command) SelectedAccount(ctx context.Context) (*keyauthv1.Account, error) {
	if o.Account != "" {
		return o.namedAccount(ctx)
	}
	return o.operatorAccount(ctx)
}

// tokenAccount returns the account of the API token.
func (o *Command) tokenAccount(ctx context.Context) (*keyauthv1.Account, error) {
	r, err := o.Accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{})
	return r.GetAccount(), err
}

// checkTokenAccount returns the account of the API token, if ref refers to it.
func (o *Command) checkTokenAccount(ctx context.Context, ref string) (*keyauthv1.Account, error) {
	a, err := o.tokenAccount(ctx)
	if err != nil {
		return nil, err
	}
	l := Labels{Names: []string{a.GetName()}, IDs: []string{a.GetId()}}
	isOperator := a.GetOperator() && strings.EqualFold(ref, certs.Operator)
	if !l.hasID(ref) && !l.couldMatch(ref) && !isOperator {
		return nil, fmt.Errorf("the API token belongs to %s and cannot act for another account", cli.Sanitize(AccountLabel(a)))
	}
	return a, nil
}

func (o *Command) operatorAccount(ctx context.Context) (*keyauthv1.Account, error) {
	if o.usesToken() {
		return o.tokenAccount(ctx)
	}
	for a, err := range o.AllAccounts(ctx) {
		if err != nil || a.GetOperator() {
			return a, err
		}
	}
	return nil, errors.New("the operator account does not exist yet; create it with signalbox bootstrap, or choose another account with --account")
}

// ActorFor returns the identity with which the command line acts in an account.
func ActorFor(a *keyauthv1.Account) *keyauthv1.Actor { return &keyauthv1.Actor{AccountId: a.GetId()} }
