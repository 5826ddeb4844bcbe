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

func (o *operator) keys(ctx context.Context) func(*keyauthv1.Account) ([]*keyauthv1.Key, error) {
	return func(a *keyauthv1.Account) ([]*keyauthv1.Key, error) {
		r, err := o.accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: as(a)})
		return r.GetKeys(), err
	}
}

// aKey adds the argument that names a key, and returns how to find it.
func (o *operator) aKey(ctx context.Context) func() (hit[*keyauthv1.Key], error) {
	var ref string
	o.set.Argument(&ref, "KEY", "its id, or the beginning of it, or the beginning of the key itself")
	o.inAccount("all are searched if not given")
	return func() (hit[*keyauthv1.Key], error) { return o.findKey(ctx, ref) }
}

func (o *operator) findKey(ctx context.Context, ref string) (hit[*keyauthv1.Key], error) {
	if shown := apikey.Shown(ref); strings.HasPrefix(ref, apikey.Prefix) && shown != "" {
		ref = shown // nobody knows the rest
	}
	return search(ctx, o, "key", ref, o.keys(ctx), func(k *keyauthv1.Key) labels {
		return labels{ids: []string{k.GetId(), k.GetPrefix()}}
	})
}

func listKeys(ctx context.Context, c call) error {
	o := newOperator(c)
	o.inAccount("the operator's if not given")
	return o.with(ctx, func() error {
		a, err := o.theAccount(ctx)
		if err != nil {
			return err
		}
		keys, err := o.keys(ctx)(a)
		if err != nil {
			return err
		}
		all := items[keyView]{Items: []keyView{}}
		rows := [][]string{{"ID", "KEY", "NAME", "STATE", "CREATED", "EXPIRES", "LAST USED"}}
		for _, k := range keys {
			all.Items = append(all.Items, viewKey(a, k, ""))
			rows = append(rows, []string{
				k.GetId(), k.GetPrefix(), k.GetSettings().GetName(), word(k.GetState(), "KEY_STATE_"),
				moment(k.GetCreatedAt()), moment(k.GetSettings().GetExpiresAt()), moment(k.GetLastUsedAt()) + " " + k.GetLastUsedFrom(),
			})
		}
		return o.show(all, rows...)
	})
}

func createKey(ctx context.Context, c call) error {
	o := newOperator(c)
	var f keyFlags
	f.register(o.set)
	o.inAccount("the operator's if not given")
	return o.with(ctx, func() error {
		a, err := o.theAccount(ctx)
		if err != nil {
			return err
		}
		r, err := o.accounts.CreateKey(ctx, &keyauthv1.CreateKeyRequest{Actor: as(a), Settings: &f.settings})
		if err != nil {
			return err
		}
		return o.showKey(a, r.GetKey(), r.GetSecret())
	})
}

func editKey(ctx context.Context, c call) error {
	o := newOperator(c)
	var f keyFlags
	which := o.aKey(ctx)
	f.register(o.set)
	return o.with(ctx, func() error {
		if len(f.mask) == 0 {
			return errors.New("nothing to change: name a setting, such as --name; see signalbox keys edit --help")
		}
		h, err := which()
		if err != nil {
			return err
		}
		r, err := o.accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
			Actor: as(h.account), KeyId: h.id, Settings: &f.settings, Mask: &fieldmaskpb.FieldMask{Paths: f.mask},
		})
		if err != nil {
			return err
		}
		return o.showKey(h.account, r.GetKey(), "")
	})
}

func rotateKey(ctx context.Context, c call) error {
	o := newOperator(c)
	which := o.aKey(ctx)
	var overlap time.Duration
	o.set.Duration(&overlap, "overlap", 24*time.Hour, "for how long the old key works on")
	o.asks()
	return o.with(ctx, func() error {
		h, err := which()
		if err != nil {
			return err
		}
		question := fmt.Sprintf("Replace the key %s (%s) of %s, and end it in %s?", h.value.GetPrefix(), h.value.GetSettings().GetName(), full(h.account), overlap)
		if err := o.confirm(ctx, question); err != nil {
			return err
		}
		r, err := o.accounts.RotateKey(ctx, &keyauthv1.RotateKeyRequest{Actor: as(h.account), KeyId: h.id, OverlapSeconds: int64(overlap.Seconds())})
		if err != nil {
			return err
		}
		return o.showKey(h.account, r.GetKey(), r.GetSecret())
	})
}

func revokeKey(ctx context.Context, c call) error {
	o := newOperator(c)
	which := o.aKey(ctx)
	o.asks()
	return o.with(ctx, func() error {
		h, err := which()
		if err != nil {
			return err
		}
		question := fmt.Sprintf("End the key %s (%s) of %s for good?", h.value.GetPrefix(), h.value.GetSettings().GetName(), full(h.account))
		if err := o.confirm(ctx, question); err != nil {
			return err
		}
		r, err := o.accounts.RevokeKey(ctx, &keyauthv1.RevokeKeyRequest{Actor: as(h.account), KeyId: h.id})
		if err != nil {
			return err
		}
		return o.showKey(h.account, r.GetKey(), "")
	})
}
