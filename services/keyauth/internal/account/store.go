package account

import (
	"context"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

// Store is the database of the service. It combines the interfaces that stand next
// to the code that uses them; no function needs all of them. A read outside of Write
// sees the latest committed state.
type Store interface {
	Reader
	report.UseWriter
	// Write runs f in one transaction. If Write returns nil, the changes are durable.
	// Calls of Write run one after the other, even across processes, so data that f
	// reads cannot change before the commit. If f returns an error, Write rolls back
	// and returns that error.
	Write(ctx context.Context, f func(tx Tx) error) error
}

// Reader combines the interfaces that read. A method that reads one row returns
// access.ErrNoRow if the row does not exist.
type Reader interface {
	access.AccountReader
	access.UserReader
	access.SessionReader
	InviteReader
	ResetReader
	apitoken.Reader
	IdentityReader
	keyring.Reader
	BudgetReader
	keyring.ChangeReader
	audit.Reader
	spend.Reader
	notice.Reader
}

// Tx combines the interfaces of a transaction. SaveAccount, SaveUser, SaveSession and
// SaveKey insert a row, or update the row with the same id.
type Tx interface {
	Reader
	access.AccountWriter
	access.UserWriter
	access.SessionWriter
	InviteWriter
	ResetWriter
	apitoken.Writer
	IdentityWriter
	keyring.Writer
	BudgetWriter
	ChangePruner
	audit.Writer
	SpendWriter
	notice.Queue
}
