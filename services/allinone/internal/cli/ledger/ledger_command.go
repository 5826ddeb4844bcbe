package ledger

import (
	"net/url"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// ledgerCommand is a command that selects records by flags.
type ledgerCommand struct {
	*remote.DashboardCommand
	// filter, from and to select the records.
	filter, from, to string
}

func newLedgerCommand(c cli.Invocation) *ledgerCommand {
	return &ledgerCommand{DashboardCommand: remote.NewDashboardCommand(c)}
}

// addRecordFlags adds the flags that select records.
func (b *ledgerCommand) addRecordFlags() {
	b.Flags.Func("filter", "select only matching records, such as 'model:small route:fallback'", cli.NonEmpty(&b.filter))
	b.addRangeFlags()
}

// addRangeFlags adds the flags that select a time range and an account.
func (b *ledgerCommand) addRangeFlags() {
	b.Flags.Func("from", "start day or time, such as 2026-11-01 or 2026-11-01T12:00:00Z", cli.NonEmpty(&b.from))
	b.Flags.Func("to", "end day or time; the end itself is not included", cli.NonEmpty(&b.to))
	b.AddAccountFlag("default: the operator's account")
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
