package main

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// showLimits prints what the key service says may be used, beside what the
// ledger says was.
func showLimits(ctx context.Context, c call) error {
	b := newBooks(c)
	b.inAccount("the operator's if not given")
	return b.with(ctx, func() error {
		a, keys, err := b.limited(ctx)
		if err != nil {
			return err
		}
		b.id = a.GetId()
		var spent struct {
			Account used            `json:"account"`
			Keys    map[string]used `json:"keys"`
		}
		if err := b.get(ctx, "/spent", nil, &spent); err != nil {
			return err
		}
		all := limitsReport{Account: usage{ID: a.GetId(), Name: a.GetName(), Limits: viewLimits(a.GetLimits()), used: spent.Account}, Keys: []usage{}}
		for _, k := range keys {
			of, ok := spent.Keys[k.GetId()]
			if !ok {
				of = spent.Account.none()
			}
			all.Keys = append(all.Keys, viewUsage(k, of))
		}
		return b.show(all, all.rows()...)
	})
}

// limited asks the key service for the account and its keys.
func (b *books) limited(ctx context.Context) (a *keyauthv1.Account, keys []*keyauthv1.Key, err error) {
	err = b.connected(ctx, func() error {
		found, err := b.theAccount(ctx)
		if err != nil {
			return err
		}
		r, err := b.accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: as(found)})
		if err != nil {
			return err
		}
		a = r.GetAccount()
		keys, err = b.keys(ctx)(a)
		return err
	})
	return a, keys, err
}

// setLimits changes the limits of an account, or those of one key.
func setLimits(ctx context.Context, c call) error {
	o := newOperator(c)
	var f keyFlags
	var key string
	f.limits(o.set, "budget-day", "budget-month")
	o.set.Func("key", "the key to limit: its id, or the beginning of it, or the beginning of the key itself; the account as a whole if not given", given(&key))
	o.inAccount("the operator's if not given; with --key, all are searched")
	return o.with(ctx, func() error {
		if len(f.mask) == 0 {
			return errors.New("nothing to change: name a limit, such as --budget-day; see signalbox limits set --help")
		}
		if key != "" {
			return o.limitKey(ctx, key, &f)
		}
		return o.limitAccount(ctx, &f)
	})
}

func (o *operator) limitKey(ctx context.Context, ref string, f *keyFlags) error {
	h, err := o.findKey(ctx, ref)
	if err != nil {
		return err
	}
	r, err := o.accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
		Actor: as(h.account), KeyId: h.id, Settings: &f.settings, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
	})
	if err != nil {
		return err
	}
	k := r.GetKey()
	rows := [][]string{{"Key", k.GetPrefix(), k.GetSettings().GetName()}, {"Account", full(h.account)}}
	return o.show(viewKey(h.account, k, ""), append(rows, limitRows(k.GetSettings().GetLimits())...)...)
}

func (o *operator) limitAccount(ctx context.Context, f *keyFlags) error {
	a, err := o.theAccount(ctx)
	if err != nil {
		return err
	}
	r, err := o.accounts.UpdateAccount(ctx, &keyauthv1.UpdateAccountRequest{
		Actor: as(a), Account: &keyauthv1.Account{Limits: f.settings.GetLimits()}, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
	})
	if err != nil {
		return err
	}
	a = r.GetAccount()
	return o.show(viewAccount(a), append([][]string{{"Account", full(a)}}, limitRows(a.GetLimits())...)...)
}
