package main

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// showLimits prints the limits from keyauth next to the spend from the ledger.
func showLimits(ctx context.Context, c invocation) error {
	b := newLedgerCommand(c)
	b.addAccountFlag("default: the operator's account")
	return b.runWithDashboard(ctx, func() error {
		a, keys, err := b.fetchAccountAndKeys(ctx)
		if err != nil {
			return err
		}
		b.id = a.GetId()
		var spent struct {
			Account ledgerUsage            `json:"account"`
			Keys    map[string]ledgerUsage `json:"keys"`
		}
		if err := b.getJSON(ctx, "/spent", nil, &spent); err != nil {
			return err
		}
		all := limitsReport{Account: usage{ID: a.GetId(), Name: a.GetName(), Limits: toLimitsView(a.GetLimits()), ledgerUsage: spent.Account}, Keys: []usage{}}
		for _, k := range keys {
			of, ok := spent.Keys[k.GetId()]
			if !ok {
				of = spent.Account.withoutSpend()
			}
			all.Keys = append(all.Keys, toKeyUsage(k, of))
		}
		return b.printResult(all, all.tableRows()...)
	})
}

func (b *ledgerCommand) fetchAccountAndKeys(ctx context.Context) (a *keyauthv1.Account, keys []*keyauthv1.Key, err error) {
	err = b.withConnection(ctx, func() error {
		found, err := b.selectedAccount(ctx)
		if err != nil {
			return err
		}
		r, err := b.accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: actorFor(found)})
		if err != nil {
			return err
		}
		a = r.GetAccount()
		keys, err = b.keyLister(ctx)(a)
		return err
	})
	return a, keys, err
}

func setLimits(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	var f keyFlags
	var key string
	f.addLimitFlags(o.set, "budget-day", "budget-month")
	o.set.Func("key", "key to limit: its id, or the start of the id or of the key; default: the whole account", nonEmpty(&key))
	o.addAccountFlag("default: the operator's account, or all accounts with --key")
	return o.runWithService(ctx, func() error {
		if len(f.mask) == 0 {
			return errors.New("nothing to change: add a limit, such as --budget-day; see signalbox limits set --help")
		}
		if key != "" {
			return o.setKeyLimits(ctx, key, &f)
		}
		return o.setAccountLimits(ctx, &f)
	})
}

func (o *operatorCommand) setKeyLimits(ctx context.Context, ref string, f *keyFlags) error {
	found, err := o.findKey(ctx, ref)
	if err != nil {
		return err
	}
	r, err := o.accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
		Actor: actorFor(found.account), KeyId: found.id, Settings: &f.settings, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
	})
	if err != nil {
		return err
	}
	k := r.GetKey()
	rows := [][]string{{"Key", k.GetPrefix(), k.GetSettings().GetName()}, {"Account", accountLabel(found.account)}}
	return o.printResult(toKeyView(found.account, k, ""), append(rows, limitRows(k.GetSettings().GetLimits())...)...)
}

func (o *operatorCommand) setAccountLimits(ctx context.Context, f *keyFlags) error {
	a, err := o.selectedAccount(ctx)
	if err != nil {
		return err
	}
	r, err := o.accounts.UpdateAccount(ctx, &keyauthv1.UpdateAccountRequest{
		Actor: actorFor(a), Account: &keyauthv1.Account{Limits: f.settings.GetLimits()}, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
	})
	if err != nil {
		return err
	}
	a = r.GetAccount()
	return o.printResult(toAccountView(a), append([][]string{{"Account", accountLabel(a)}}, limitRows(a.GetLimits())...)...)
}
