package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/certs"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// pageSize is the largest page that keyauth returns.
const pageSize = 1000

// forEachSelectedAccount calls f for the account of --account. Without the flag, it calls f for all accounts.
func (o *operatorCommand) forEachSelectedAccount(ctx context.Context, f func(*keyauthv1.Account) error) error {
	if o.account != "" {
		a, err := o.namedAccount(ctx)
		if err != nil {
			return err
		}
		return f(a)
	}
	return o.forEachAccount(ctx, f)
}

// errStop ends forEachAccount early.
var errStop = errors.New("enough")

func (o *operatorCommand) forEachAccount(ctx context.Context, f func(*keyauthv1.Account) error) error {
	after := ""
	for {
		page, err := o.accounts.ListAccounts(ctx, &keyauthv1.ListAccountsRequest{After: after, Limit: pageSize})
		if err != nil {
			return err
		}
		for _, a := range page.GetAccounts() {
			if err := f(a); err != nil {
				return err
			}
		}
		if after = page.GetNext(); after == "" {
			return nil
		}
	}
}

// namedAccount returns the account of --account. Account names are not unique,
// so namedAccount prints which account it found before the command changes anything.
func (o *operatorCommand) namedAccount(ctx context.Context) (*keyauthv1.Account, error) {
	a, err := o.findAccount(ctx, o.account)
	if err == nil && !o.json && o.account != a.GetId() {
		_, _ = fmt.Fprintln(o.err, "Account", sanitize(accountLabel(a)))
	}
	return a, err
}

// accountLabel returns the name with the id, because names are not unique.
func accountLabel(a *keyauthv1.Account) string { return a.GetName() + " (" + a.GetId() + ")" }

// findAccount returns the account that ref refers to: an id, the start of an id, or a
// name. "operator" always means the operator's account, even if another account has
// this name.
func (o *operatorCommand) findAccount(ctx context.Context, ref string) (*keyauthv1.Account, error) {
	if strings.EqualFold(ref, certs.Operator) {
		return o.operatorAccount(ctx)
	}
	if id, err := uuid.Parse(ref); err == nil {
		r, err := o.accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: &keyauthv1.Actor{AccountId: id.String()}})
		return r.GetAccount(), err
	}
	allAccounts := *o
	allAccounts.account = ""
	self := func(a *keyauthv1.Account) ([]*keyauthv1.Account, error) { return []*keyauthv1.Account{a}, nil }
	found, err := searchAccounts(ctx, &allAccounts, "account", ref, self, func(a *keyauthv1.Account) labels {
		return labels{names: []string{a.GetName()}, ids: []string{a.GetId()}}
	})
	return found.account, err
}

// selectedAccount returns the account of --account. Without the flag, it returns the operator's account.
func (o *operatorCommand) selectedAccount(ctx context.Context) (*keyauthv1.Account, error) {
	if o.account != "" {
		return o.namedAccount(ctx)
	}
	return o.operatorAccount(ctx)
}

func (o *operatorCommand) operatorAccount(ctx context.Context) (*keyauthv1.Account, error) {
	var found *keyauthv1.Account
	err := o.forEachAccount(ctx, func(a *keyauthv1.Account) error {
		if !a.GetOperator() {
			return nil
		}
		found = a
		return errStop
	})
	switch {
	case errors.Is(err, errStop):
		return found, nil
	case err != nil:
		return nil, err
	}
	return nil, errors.New("the operator account does not exist yet; create it with signalbox bootstrap, or choose another account with --account")
}

// actorFor returns the identity with which the command line acts in an account.
func actorFor(a *keyauthv1.Account) *keyauthv1.Actor { return &keyauthv1.Actor{AccountId: a.GetId()} }
