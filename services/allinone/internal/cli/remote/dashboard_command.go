package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// DashboardCommand is a command that calls the running dashboard. It uses the socket in the
// data directory. It finds accounts with the help of keyauth.
type DashboardCommand struct {
	*Command
	// AccountID is sent with every request; empty if the command needs no account.
	AccountID string
	client    *http.Client
}

// NewDashboardCommand returns a command that calls the dashboard.
func NewDashboardCommand(c cli.Invocation) *DashboardCommand {
	return &DashboardCommand{Command: NewCommand(c)}
}

// RunForAccount runs work for the selected account. Use RunWithDashboard for a
// command that needs no account.
func (b *DashboardCommand) RunForAccount(ctx context.Context, work func() error) error {
	return b.RunWithDashboard(ctx, func() (err error) {
		if b.AccountID, err = b.resolveAccountID(ctx); err != nil {
			return err
		}
		return work()
	})
}

// RunWithDashboard parses the flags, connects to the dashboard and runs work.
func (b *DashboardCommand) RunWithDashboard(ctx context.Context, work func() error) error {
	b.addCommonFlags("data directory of the signalbox or dashboard that runs on this machine")
	if err := b.loadFlags(); err != nil {
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
func (b *DashboardCommand) resolveAccountID(ctx context.Context) (id string, err error) {
	err = b.WithAccounts(ctx, func() error {
		a, err := b.SelectedAccount(ctx)
		id = a.GetId()
		return err
	})
	whole, parseErr := uuid.Parse(b.Account)
	if unreachable := new(cli.UnreachableError); parseErr == nil && errors.As(err, &unreachable) {
		_, _ = fmt.Fprintln(b.Err, "Cannot check whether the account exists:", cli.Sanitize(unreachable.Text))
		return whole.String(), nil
	}
	return id, err
}
