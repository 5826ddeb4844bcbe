package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

const (
	// minRefLength is the minimum number of characters if a user gives the start of an
	// id. Without a minimum, an empty variable in a script could select a key.
	minRefLength = 4
	// maxListedMatches limits how many matches the error for an ambiguous reference lists.
	maxListedMatches = 5
)

// Match is an object that a reference selects, and its account.
type Match[T any] struct {
	Account *keyauthv1.Account
	Value   T
	ID      string
	// description is the text for the error that an ambiguous reference causes.
	description string
}

// Labels lists how an object can be referenced: by full name, by id, or by the
// start of an id.
type Labels struct{ Names, IDs []string }

func (l Labels) hasID(ref string) bool { return ref != "" && slices.Contains(l.IDs, ref) }

func (l Labels) couldMatch(ref string) bool {
	if ref != "" && slices.ContainsFunc(l.Names, func(name string) bool { return strings.EqualFold(name, ref) }) {
		return true
	}
	return len(ref) >= minRefLength && slices.ContainsFunc(l.IDs, func(id string) bool { return strings.HasPrefix(id, ref) })
}

func (l Labels) describe() string {
	if len(l.Names) == 0 {
		return l.IDs[0]
	}
	return cli.Sanitize(l.IDs[0] + " (" + l.Names[0] + ")")
}

// SearchAccounts finds the one object that ref selects. It searches the account
// of --account or, without the flag, all accounts.
func SearchAccounts[T any](ctx context.Context, o *Command, what, ref string, list func(*keyauthv1.Account) ([]T, error), label func(T) Labels) (Match[T], error) {
	var found matches[T]
	for a, err := range o.selectedAccounts(ctx) {
		if err != nil {
			return Match[T]{}, err
		}
		all, err := list(a)
		if err != nil {
			return Match[T]{}, err
		}
		found.add(a, ref, all, label)
	}
	return found.single(what, ref)
}

// PickOne finds the one object in all that ref selects.
func PickOne[T any](what, ref string, a *keyauthv1.Account, all []T, label func(T) Labels) (Match[T], error) {
	var found matches[T]
	found.add(a, ref, all, label)
	return found.single(what, ref)
}

// matches collects the objects that a reference may select. A full id is certain,
// because it is unique. A name and the start of an id are only possible: the name of one
// object may equal the start of another object's id.
type matches[T any] struct{ certain, possible []Match[T] }

func (m *matches[T]) add(a *keyauthv1.Account, ref string, all []T, label func(T) Labels) {
	for _, v := range all {
		l := label(v)
		found := Match[T]{Account: a, Value: v, ID: l.IDs[0], description: l.describe()}
		switch {
		case l.hasID(ref):
			m.certain = append(m.certain, found)
		case l.couldMatch(ref):
			m.possible = append(m.possible, found)
		}
	}
}

// single returns the only match. If there is not exactly one match, it returns an error.
func (m *matches[T]) single(what, ref string) (Match[T], error) {
	all := m.certain
	if len(all) == 0 {
		all = m.possible
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0 && len(ref) < minRefLength:
		return Match[T]{}, fmt.Errorf("no such %s; give at least %d characters of the id", what, minRefLength)
	case len(all) == 0:
		return Match[T]{}, fmt.Errorf("no such %s (NOT_FOUND)", what)
	}
	var some []string
	for _, found := range all[:min(len(all), maxListedMatches)] {
		some = append(some, found.description)
	}
	return Match[T]{}, fmt.Errorf("%q matches %d %ss, give more of the id: %s", cli.Sanitize(ref), len(all), what, strings.Join(some, ", "))
}
