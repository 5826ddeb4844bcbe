package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

const (
	// leastRef is how much of an id must be given: an empty variable of a
	// script must never mean the only key there is.
	leastRef = 4
	// shownHits is how many of too many are named.
	shownHits = 5
)

// hit is something that was meant, with the account it is in.
type hit[T any] struct {
	account *keyauthv1.Account
	value   T
	// id is shown when several were meant.
	id string
}

// labels is how something may be named: by the whole of a name, or by the
// beginning of an id.
type labels struct{ names, ids []string }

// meant tells whether ref is exactly one of the labels, or the beginning of an
// id.
func (l labels) meant(ref string) (exactly, begins bool) {
	if ref == "" {
		return false, false
	}
	same := func(s string) bool { return strings.EqualFold(s, ref) }
	if slices.ContainsFunc(l.names, same) || slices.Contains(l.ids, ref) {
		return true, false
	}
	return false, len(ref) >= leastRef && slices.ContainsFunc(l.ids, func(id string) bool { return strings.HasPrefix(id, ref) })
}

// search looks in the account that --account names, else in all of them.
func search[T any](ctx context.Context, o *operator, what, ref string, list func(*keyauthv1.Account) ([]T, error), label func(T) labels) (hit[T], error) {
	var found hits[T]
	err := o.eachAccount(ctx, func(a *keyauthv1.Account) error {
		all, err := list(a)
		found.add(a, ref, all, label)
		return err
	})
	if err != nil {
		return hit[T]{}, err
	}
	return found.only(what, ref)
}

// pick looks in a list.
func pick[T any](what, ref string, a *keyauthv1.Account, all []T, label func(T) labels) (hit[T], error) {
	var found hits[T]
	found.add(a, ref, all, label)
	return found.only(what, ref)
}

// hits is what may be meant.
type hits[T any] struct{ exact, begun []hit[T] }

func (f *hits[T]) add(a *keyauthv1.Account, ref string, all []T, label func(T) labels) {
	for _, v := range all {
		l := label(v)
		h := hit[T]{account: a, value: v, id: l.ids[0]}
		switch exactly, begins := l.meant(ref); {
		case exactly:
			f.exact = append(f.exact, h)
		case begins:
			f.begun = append(f.begun, h)
		}
	}
}

// only is the one that is meant.
func (f *hits[T]) only(what, ref string) (hit[T], error) {
	all := f.exact
	if len(all) == 0 {
		all = f.begun
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0 && len(ref) < leastRef:
		return hit[T]{}, fmt.Errorf("no such %s; of an id at least %d characters are needed", what, leastRef)
	case len(all) == 0:
		return hit[T]{}, fmt.Errorf("no such %s (NOT_FOUND)", what)
	}
	var ids []string
	for _, h := range all[:min(len(all), shownHits)] {
		ids = append(ids, h.id)
	}
	return hit[T]{}, fmt.Errorf("%d of them could be meant, give more of the id: %s", len(all), strings.Join(ids, ", "))
}
