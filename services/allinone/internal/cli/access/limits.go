package access

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// showLimits prints the limits from keyauth next to the spend from the ledger.
func showLimits(ctx context.Context, c cli.Invocation) error {
	b := remote.NewDashboardCommand(c)
	b.AddAccountFlag("default: the operator's account")
	return b.RunWithDashboard(ctx, func() error {
		a, keys, err := fetchAccountAndKeys(ctx, b.Command)
		if err != nil {
			return err
		}
		b.AccountID = a.GetId()
		var spent struct {
			Account ledgerUsage            `json:"account"`
			Keys    map[string]ledgerUsage `json:"keys"`
		}
		if err := b.GetJSON(ctx, "/spent", nil, &spent); err != nil {
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
		return b.PrintResult(all, all.tableRows()...)
	})
}

func fetchAccountAndKeys(ctx context.Context, o *remote.Command) (a *keyauthv1.Account, keys []*keyauthv1.Key, err error) {
	err = o.WithAccounts(ctx, func() error {
		found, err := o.SelectedAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.Accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: remote.ActorFor(found)})
		if err != nil {
			return err
		}
		a = r.GetAccount()
		keys, err = keyLister(ctx, o)(a)
		return err
	})
	return a, keys, err
}

func setLimits(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var f keyFlags
	var key string
	f.addLimitFlags(o.Flags, "budget-day", "budget-month")
	o.Flags.Func("key", "key to limit: its id, or the start of the id or of the key; default: the whole account", cli.NonEmpty(&key))
	o.AddAccountFlag("default: the operator's account, or all accounts with --key")
	return o.RunWithKeyauth(ctx, func() error {
		if len(f.mask) == 0 {
			return errors.New("nothing to change: add a limit, such as --budget-day; see signalbox limits set --help")
		}
		if key != "" {
			return setKeyLimits(ctx, o, key, &f)
		}
		return setAccountLimits(ctx, o, &f)
	})
}

func setKeyLimits(ctx context.Context, o *remote.Command, ref string, f *keyFlags) error {
	found, err := findKey(ctx, o, ref)
	if err != nil {
		return err
	}
	r, err := o.Accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
		Actor: remote.ActorFor(found.Account), KeyId: found.ID, Settings: &f.settings, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
	})
	if err != nil {
		return err
	}
	k := r.GetKey()
	rows := [][]string{{"Key", k.GetPrefix(), k.GetSettings().GetName()}, {"Account", remote.AccountLabel(found.Account)}}
	return o.PrintResult(toKeyView(found.Account, k, ""), append(rows, limitRows(k.GetSettings().GetLimits())...)...)
}

func setAccountLimits(ctx context.Context, o *remote.Command, f *keyFlags) error {
	a, err := o.SelectedAccount(ctx)
	if err != nil {
		return err
	}
	r, err := o.Accounts.UpdateAccount(ctx, &keyauthv1.UpdateAccountRequest{
		Actor: remote.ActorFor(a), Account: &keyauthv1.Account{Limits: f.settings.GetLimits()}, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
	})
	if err != nil {
		return err
	}
	a = r.GetAccount()
	return o.PrintResult(toAccountView(a), append([][]string{{"Account", remote.AccountLabel(a)}}, limitRows(a.GetLimits())...)...)
}
