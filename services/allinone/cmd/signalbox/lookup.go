package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

const (
	// minRefLength is the minimum number of characters if a user gives the start of an
	// id. Without a minimum, an empty variable in a script could select a key.
	minRefLength = 4
	// maxListedMatches limits how many matches the error for an ambiguous reference lists.
	maxListedMatches = 5
)

// match is an object that a reference selects, and its account.
type match[T any] struct {
	account *keyauthv1.Account
	value   T
	id      string
	// description is the text for the error that an ambiguous reference causes.
	description string
}

// labels lists how an object can be referenced: by full name, by id, or by the
// start of an id.
type labels struct{ names, ids []string }

func (l labels) hasID(ref string) bool { return ref != "" && slices.Contains(l.ids, ref) }

func (l labels) couldMatch(ref string) bool {
	if ref != "" && slices.ContainsFunc(l.names, func(name string) bool { return strings.EqualFold(name, ref) }) {
		return true
	}
	return len(ref) >= minRefLength && slices.ContainsFunc(l.ids, func(id string) bool { return strings.HasPrefix(id, ref) })
}

func (l labels) describe() string {
	if len(l.names) == 0 {
		return l.ids[0]
	}
	return sanitize(l.ids[0] + " (" + l.names[0] + ")")
}

// searchAccounts finds the one object that ref selects. It searches the account
// of --account or, without the flag, all accounts.
func searchAccounts[T any](ctx context.Context, o *operatorCommand, what, ref string, list func(*keyauthv1.Account) ([]T, error), label func(T) labels) (match[T], error) {
	var found matches[T]
	err := o.forEachSelectedAccount(ctx, func(a *keyauthv1.Account) error {
		all, err := list(a)
		found.add(a, ref, all, label)
		return err
	})
	if err != nil {
		return match[T]{}, err
	}
	return found.single(what, ref)
}

// pickOne finds the one object in all that ref selects.
func pickOne[T any](what, ref string, a *keyauthv1.Account, all []T, label func(T) labels) (match[T], error) {
	var found matches[T]
	found.add(a, ref, all, label)
	return found.single(what, ref)
}

// matches collects the objects that a reference may select. A full id is certain,
// because it is unique. A name and the start of an id are only possible: the name of one
// object may equal the start of another object's id.
type matches[T any] struct{ certain, possible []match[T] }

func (m *matches[T]) add(a *keyauthv1.Account, ref string, all []T, label func(T) labels) {
	for _, v := range all {
		l := label(v)
		found := match[T]{account: a, value: v, id: l.ids[0], description: l.describe()}
		switch {
		case l.hasID(ref):
			m.certain = append(m.certain, found)
		case l.couldMatch(ref):
			m.possible = append(m.possible, found)
		}
	}
}

// single returns the only match. If there is not exactly one match, it returns an error.
func (m *matches[T]) single(what, ref string) (match[T], error) {
	all := m.certain
	if len(all) == 0 {
		all = m.possible
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0 && len(ref) < minRefLength:
		return match[T]{}, fmt.Errorf("no such %s; give at least %d characters of the id", what, minRefLength)
	case len(all) == 0:
		return match[T]{}, fmt.Errorf("no such %s (NOT_FOUND)", what)
	}
	var some []string
	for _, found := range all[:min(len(all), maxListedMatches)] {
		some = append(some, found.description)
	}
	return match[T]{}, fmt.Errorf("%q matches %d %ss, give more of the id: %s", sanitize(ref), len(all), what, strings.Join(some, ", "))
}
