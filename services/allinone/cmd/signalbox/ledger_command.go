package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/uuid"
)

// ledgerCommand is a command that calls the running dashboard. It uses the socket in the
// data directory. It finds accounts with the help of keyauth.
type ledgerCommand struct {
	*operatorCommand
	client *http.Client
	// id is the account id; empty if the command needs no account.
	id string
	// filter, from and to select the records.
	filter, from, to string
}

func newLedgerCommand(c invocation) *ledgerCommand {
	return &ledgerCommand{operatorCommand: newOperatorCommand(c)}
}

// addRecordFlags adds the flags that select records.
func (b *ledgerCommand) addRecordFlags() {
	b.set.Func("filter", "select only matching records, such as 'model:small route:fallback'", nonEmpty(&b.filter))
	b.set.Func("from", "start day or time, such as 2026-11-01 or 2026-11-01T12:00:00Z", nonEmpty(&b.from))
	b.set.Func("to", "end day or time; the end itself is not included", nonEmpty(&b.to))
	b.addAccountFlag("default: the operator's account")
}

func (b *ledgerCommand) recordQuery() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"filter": b.filter, "from": b.from, "to": b.to} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// runForAccount runs work for the selected account. Use runWithDashboard for a
// command that needs no account.
func (b *ledgerCommand) runForAccount(ctx context.Context, work func() error) error {
	return b.runWithDashboard(ctx, func() (err error) {
		if b.id, err = b.resolveAccountID(ctx); err != nil {
			return err
		}
		return work()
	})
}

func (b *ledgerCommand) runWithDashboard(ctx context.Context, work func() error) error {
	b.addCommonFlags("data directory of the signalbox or dashboard that runs on this machine")
	if err := b.set.Load(b.args, b.environ); err != nil {
		return err
	}
	if err := b.connectDashboard(ctx); err != nil {
		return err
	}
	defer b.client.CloseIdleConnections()
	return work()
}

// resolveAccountID finds the account with the help of keyauth. In a split deployment,
// keyauth may be unreachable from this machine. Then a full id is used without a check.
func (b *ledgerCommand) resolveAccountID(ctx context.Context) (id string, err error) {
	err = b.withConnection(ctx, func() error {
		a, err := b.selectedAccount(ctx)
		id = a.GetId()
		return err
	})
	whole, parseErr := uuid.Parse(b.account)
	if unreachable := new(unreachableError); parseErr == nil && errors.As(err, &unreachable) {
		_, _ = fmt.Fprintln(b.err, "Cannot check whether the account exists:", sanitize(unreachable.text))
		return whole.String(), nil
	}
	return id, err
}
