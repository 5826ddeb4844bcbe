package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/signalbox/signalbox/pkg/apikey"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func (o *operatorCommand) keyLister(ctx context.Context) func(*keyauthv1.Account) ([]*keyauthv1.Key, error) {
	return func(a *keyauthv1.Account) ([]*keyauthv1.Key, error) {
		r, err := o.accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: actorFor(a)})
		return r.GetKeys(), err
	}
}

// addKeyArgument adds the KEY argument. It returns a function that finds the key.
func (o *operatorCommand) addKeyArgument(ctx context.Context) func() (match[*keyauthv1.Key], error) {
	var ref string
	o.set.Argument(&ref, "KEY", "key id, or the start of the id or of the key")
	o.addAccountFlag("default: search all accounts")
	return func() (match[*keyauthv1.Key], error) { return o.findKey(ctx, ref) }
}

func (o *operatorCommand) findKey(ctx context.Context, ref string) (match[*keyauthv1.Key], error) {
	if shown := apikey.DisplayPrefix(ref); strings.HasPrefix(ref, apikey.Prefix) && shown != "" {
		ref = shown // the store holds only the first characters of a key
	}
	return searchAccounts(ctx, o, "key", ref, o.keyLister(ctx), func(k *keyauthv1.Key) labels {
		return labels{ids: []string{k.GetId(), k.GetPrefix()}}
	})
}

func listKeys(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	o.addAccountFlag("default: the operator's account")
	return o.runWithService(ctx, func() error {
		a, err := o.selectedAccount(ctx)
		if err != nil {
			return err
		}
		keys, err := o.keyLister(ctx)(a)
		if err != nil {
			return err
		}
		all := items[keyView]{Items: []keyView{}}
		rows := [][]string{{"ID", "KEY", "NAME", "STATE", "CREATED", "EXPIRES", "LAST USED"}}
		for _, k := range keys {
			all.Items = append(all.Items, toKeyView(a, k, ""))
			rows = append(rows, []string{
				k.GetId(), k.GetPrefix(), k.GetSettings().GetName(), enumWord(k.GetState(), "KEY_STATE_"),
				formatTableTime(k.GetCreatedAt()), formatTableTime(k.GetSettings().GetExpiresAt()), formatTableTime(k.GetLastUsedAt()) + " " + k.GetLastUsedFrom(),
			})
		}
		return o.printResult(all, rows...)
	})
}

func createKey(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	var f keyFlags
	f.addAllFlags(o.set)
	o.addAccountFlag("default: the operator's account")
	return o.runWithService(ctx, func() error {
		a, err := o.selectedAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.accounts.CreateKey(ctx, &keyauthv1.CreateKeyRequest{Actor: actorFor(a), Settings: &f.settings})
		if err != nil {
			return err
		}
		return o.printKey(a, r.GetKey(), r.GetSecret())
	})
}

func editKey(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	var f keyFlags
	which := o.addKeyArgument(ctx)
	f.addAllFlags(o.set)
	return o.runWithService(ctx, func() error {
		if len(f.mask) == 0 {
			return errors.New("nothing to change: add a setting, such as --name; see signalbox keys edit --help")
		}
		found, err := which()
		if err != nil {
			return err
		}
		r, err := o.accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
			Actor: actorFor(found.account), KeyId: found.id, Settings: &f.settings, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
		})
		if err != nil {
			return err
		}
		return o.printKey(found.account, r.GetKey(), "")
	})
}

func rotateKey(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	which := o.addKeyArgument(ctx)
	var overlap time.Duration
	o.set.Duration(&overlap, "overlap", 24*time.Hour, "how long the old key keeps working")
	o.addYesFlag()
	return o.runWithService(ctx, func() error {
		found, err := which()
		if err != nil {
			return err
		}
		question := fmt.Sprintf("Replace the key %s (%s) of %s? The old key expires in %s.", found.value.GetPrefix(), found.value.GetSettings().GetName(), accountLabel(found.account), formatDuration(overlap))
		if err := o.confirm(ctx, question); err != nil {
			return err
		}
		r, err := o.accounts.RotateKey(ctx, &keyauthv1.RotateKeyRequest{Actor: actorFor(found.account), KeyId: found.id, OverlapSeconds: int64(overlap.Seconds())})
		if err != nil {
			return err
		}
		return o.printKey(found.account, r.GetKey(), r.GetSecret())
	})
}

func revokeKey(ctx context.Context, c invocation) error {
	o := newOperatorCommand(c)
	which := o.addKeyArgument(ctx)
	o.addYesFlag()
	return o.runWithService(ctx, func() error {
		found, err := which()
		if err != nil {
			return err
		}
		question := fmt.Sprintf("Revoke the key %s (%s) of %s permanently?", found.value.GetPrefix(), found.value.GetSettings().GetName(), accountLabel(found.account))
		if err := o.confirm(ctx, question); err != nil {
			return err
		}
		r, err := o.accounts.RevokeKey(ctx, &keyauthv1.RevokeKeyRequest{Actor: actorFor(found.account), KeyId: found.id})
		if err != nil {
			return err
		}
		return o.printKey(found.account, r.GetKey(), "")
	})
}
