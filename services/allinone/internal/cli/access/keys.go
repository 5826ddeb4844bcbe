package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/config"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

func keyLister(ctx context.Context, o *remote.Command) func(*keyauthv1.Account) ([]*keyauthv1.Key, error) {
	return func(a *keyauthv1.Account) ([]*keyauthv1.Key, error) {
		r, err := o.Accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: remote.ActorFor(a)})
		return r.GetKeys(), err
	}
}

// addKeyArgument adds the KEY argument. It returns a function that finds the key.
func addKeyArgument(ctx context.Context, o *remote.Command) func() (remote.Match[*keyauthv1.Key], error) {
	var ref string
	o.Flags.Argument(&ref, "KEY", "key id, or the start of the id or of the key")
	o.AddAccountFlag("default: search all accounts")
	return func() (remote.Match[*keyauthv1.Key], error) { return findKey(ctx, o, ref) }
}

func findKey(ctx context.Context, o *remote.Command, ref string) (remote.Match[*keyauthv1.Key], error) {
	if shown := apikey.DisplayPrefix(ref); strings.HasPrefix(ref, apikey.Prefix) && shown != "" {
		ref = shown // the store holds only the first characters of a key
	}
	return remote.SearchAccounts(ctx, o, "key", ref, keyLister(ctx, o), func(k *keyauthv1.Key) remote.Labels {
		return remote.Labels{IDs: []string{k.GetId(), k.GetPrefix()}}
	})
}

func listKeys(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		keys, err := keyLister(ctx, o)(a)
		if err != nil {
			return err
		}
		all := cli.List[keyView]{Items: []keyView{}}
		rows := [][]string{{"ID", "KEY", "NAME", "STATE", "CREATED", "EXPIRES", "LAST USED"}}
		for _, k := range keys {
			all.Items = append(all.Items, toKeyView(a, k, ""))
			rows = append(rows, []string{
				k.GetId(), k.GetPrefix(), k.GetSettings().GetName(), remote.EnumWord(k.GetState(), "KEY_STATE_"),
				remote.FormatTableTime(k.GetCreatedAt()), remote.FormatTableTime(k.GetSettings().GetExpiresAt()), remote.FormatTableTime(k.GetLastUsedAt()) + " " + k.GetLastUsedFrom(),
			})
		}
		return o.PrintResult(all, rows...)
	})
}

func createKey(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var f keyFlags
	f.addAllFlags(o.Flags)
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		r, err := o.Accounts.CreateKey(ctx, &keyauthv1.CreateKeyRequest{Actor: remote.ActorFor(a), Settings: &f.settings})
		if err != nil {
			return err
		}
		return printKey(o, a, r.GetKey(), r.GetSecret())
	})
}

func editKey(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var f keyFlags
	which := addKeyArgument(ctx, o)
	f.addAllFlags(o.Flags)
	return o.RunWithKeyauth(ctx, func() error {
		if len(f.mask) == 0 {
			return errors.New("nothing to change: add a setting, such as --name; see signalbox keys edit --help")
		}
		found, err := which()
		if err != nil {
			return err
		}
		r, err := o.Accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
			Actor: remote.ActorFor(found.Account), KeyId: found.ID, Settings: &f.settings, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
		})
		if err != nil {
			return err
		}
		return printKey(o, found.Account, r.GetKey(), "")
	})
}

func rotateKey(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	which := addKeyArgument(ctx, o)
	var overlap time.Duration
	o.Flags.Duration(&overlap, "overlap", 24*time.Hour, "how long the old key keeps working")
	o.AddYesFlag()
	return o.RunWithKeyauth(ctx, func() error {
		found, err := which()
		if err != nil {
			return err
		}
		question := fmt.Sprintf("Replace the key %s (%s) of %s? The old key expires in %s.", found.Value.GetPrefix(), found.Value.GetSettings().GetName(), remote.AccountLabel(found.Account), config.FormatDuration(overlap))
		if err := o.Confirm(ctx, question); err != nil {
			return err
		}
		r, err := o.Accounts.RotateKey(ctx, &keyauthv1.RotateKeyRequest{Actor: remote.ActorFor(found.Account), KeyId: found.ID, OverlapSeconds: int64(overlap.Seconds())})
		if err != nil {
			return err
		}
		return printKey(o, found.Account, r.GetKey(), r.GetSecret())
	})
}

func revokeKey(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	which := addKeyArgument(ctx, o)
	o.AddYesFlag()
	return o.RunWithKeyauth(ctx, func() error {
		found, err := which()
		if err != nil {
			return err
		}
		question := fmt.Sprintf("Revoke the key %s (%s) of %s permanently?", found.Value.GetPrefix(), found.Value.GetSettings().GetName(), remote.AccountLabel(found.Account))
		if err := o.Confirm(ctx, question); err != nil {
			return err
		}
		r, err := o.Accounts.RevokeKey(ctx, &keyauthv1.RevokeKeyRequest{Actor: remote.ActorFor(found.Account), KeyId: found.ID})
		if err != nil {
			return err
		}
		return printKey(o, found.Account, r.GetKey(), "")
	})
}
