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
	id      string
	// shown is how it is told from others when several were meant.
	shown string
}

// labels is how something may be named: by the whole of a name, by an id, or by
// the beginning of one.
type labels struct{ names, ids []string }

func (l labels) isID(ref string) bool { return ref != "" && slices.Contains(l.ids, ref) }

func (l labels) mayBe(ref string) bool {
	if ref != "" && slices.ContainsFunc(l.names, func(name string) bool { return strings.EqualFold(name, ref) }) {
		return true
	}
	return len(ref) >= leastRef && slices.ContainsFunc(l.ids, func(id string) bool { return strings.HasPrefix(id, ref) })
}

func (l labels) shown() string {
	if len(l.names) == 0 {
		return l.ids[0]
	}
	return printable(l.ids[0] + " (" + l.names[0] + ")")
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

// hits is what may be meant. A whole id is nobody's but its own; a name may be
// anything, also what another's id begins with, and so is no better than that.
type hits[T any] struct{ certain, possible []hit[T] }

func (f *hits[T]) add(a *keyauthv1.Account, ref string, all []T, label func(T) labels) {
	for _, v := range all {
		l := label(v)
		h := hit[T]{account: a, value: v, id: l.ids[0], shown: l.shown()}
		switch {
		case l.isID(ref):
			f.certain = append(f.certain, h)
		case l.mayBe(ref):
			f.possible = append(f.possible, h)
		}
	}
}

// only is the one that is meant.
func (f *hits[T]) only(what, ref string) (hit[T], error) {
	all := f.certain
	if len(all) == 0 {
		all = f.possible
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0 && len(ref) < leastRef:
		return hit[T]{}, fmt.Errorf("no such %s; of an id at least %d characters are needed", what, leastRef)
	case len(all) == 0:
		return hit[T]{}, fmt.Errorf("no such %s (NOT_FOUND)", what)
	}
	var some []string
	for _, h := range all[:min(len(all), shownHits)] {
		some = append(some, h.shown)
	}
	return hit[T]{}, fmt.Errorf("%d of them could be meant, give more of the id: %s", len(all), strings.Join(some, ", "))
}
