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

// pageSize is the most that the service gives at once.
const pageSize = 1000

// eachAccount calls f for the account that --account names, else for all.
func (o *operator) eachAccount(ctx context.Context, f func(*keyauthv1.Account) error) error {
	if o.account != "" {
		a, err := o.chosen(ctx)
		if err != nil {
			return err
		}
		return f(a)
	}
	return o.walkAccounts(ctx, f)
}

// errEnough ends a walk before its end.
var errEnough = errors.New("enough")

func (o *operator) walkAccounts(ctx context.Context, f func(*keyauthv1.Account) error) error {
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

// chosen is the account that --account names. Anybody may have given theirs the
// name, so who was found is shown before anything is done.
func (o *operator) chosen(ctx context.Context) (*keyauthv1.Account, error) {
	a, err := o.findAccount(ctx, o.account)
	if err == nil && !o.json && o.account != a.GetId() {
		_, _ = fmt.Fprintln(o.err, "Account", printable(full(a)))
	}
	return a, err
}

// full is a name that cannot be taken for another's.
func full(a *keyauthv1.Account) string { return a.GetName() + " (" + a.GetId() + ")" }

// findAccount is the account that ref means. A whole id is asked for as such,
// and the operator's needs no name, which others may have as well.
func (o *operator) findAccount(ctx context.Context, ref string) (*keyauthv1.Account, error) {
	if strings.EqualFold(ref, certs.Operator) {
		return o.operators(ctx)
	}
	if id, err := uuid.Parse(ref); err == nil {
		r, err := o.accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: &keyauthv1.Actor{AccountId: id.String()}})
		return r.GetAccount(), err
	}
	every := *o
	every.account = ""
	self := func(a *keyauthv1.Account) ([]*keyauthv1.Account, error) { return []*keyauthv1.Account{a}, nil }
	h, err := search(ctx, &every, "account", ref, self, func(a *keyauthv1.Account) labels {
		return labels{names: []string{a.GetName()}, ids: []string{a.GetId()}}
	})
	return h.account, err
}

// theAccount is what --account names, else the operator's.
func (o *operator) theAccount(ctx context.Context) (*keyauthv1.Account, error) {
	if o.account != "" {
		return o.chosen(ctx)
	}
	return o.operators(ctx)
}

// operators is the operator's own account.
func (o *operator) operators(ctx context.Context) (*keyauthv1.Account, error) {
	var found *keyauthv1.Account
	err := o.walkAccounts(ctx, func(a *keyauthv1.Account) error {
		if !a.GetOperator() {
			return nil
		}
		found = a
		return errEnough
	})
	switch {
	case errors.Is(err, errEnough):
		return found, nil
	case err != nil:
		return nil, err
	}
	return nil, errors.New("there is no operator's account yet: name another by --account")
}

// as is the command line acting in an account.
func as(a *keyauthv1.Account) *keyauthv1.Actor { return &keyauthv1.Actor{AccountId: a.GetId()} }
