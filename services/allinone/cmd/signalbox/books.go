package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/uuid"
)

// books is a command that asks the running dashboard, by its socket in the data
// directory. Names of accounts it looks up at the key service.
type books struct {
	*operator
	client *http.Client
	// id is the account's; empty where none is needed.
	id string
	// filter, from and to say which records.
	filter, from, to string
}

func newBooks(c call) *books { return &books{operator: newOperator(c)} }

// which adds the flags that say which records.
func (b *books) which() {
	b.set.Func("filter", "which records, such as 'model:small route:fallback'", given(&b.filter))
	b.set.Func("from", "the first day or time, such as 2026-11-01 or 2026-11-01T12:00:00Z", given(&b.from))
	b.set.Func("to", "the day or time right after the last", given(&b.to))
	b.inAccount("the operator's if not given")
}

// query is the flags of which as a query of the API.
func (b *books) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"filter": b.filter, "from": b.from, "to": b.to} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// about does the work on one account's records; with is for what concerns no
// account.
func (b *books) about(ctx context.Context, work func() error) error {
	return b.with(ctx, func() (err error) {
		if b.id, err = b.accountID(ctx); err != nil {
			return err
		}
		return work()
	})
}

func (b *books) with(ctx context.Context, work func() error) error {
	b.place("data directory of the signalbox or dashboard that runs here")
	if err := b.set.Load(b.args, b.environ); err != nil {
		return err
	}
	if err := b.open(ctx); err != nil {
		return err
	}
	defer b.client.CloseIdleConnections()
	return work()
}

// accountID asks the key service. Where the dashboard of the split shape runs,
// that one need not: then a whole id is taken as it is.
func (b *books) accountID(ctx context.Context) (id string, err error) {
	err = b.connected(ctx, func() error {
		a, err := b.theAccount(ctx)
		id = a.GetId()
		return err
	})
	whole, mistaken := uuid.Parse(b.account)
	if away := new(unreachable); mistaken == nil && errors.As(err, &away) {
		_, _ = fmt.Fprintln(b.err, "Nobody can be asked whether there is such an account:", printable(away.text))
		return whole.String(), nil
	}
	return id, err
}
