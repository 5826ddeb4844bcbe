package dashboard

import (
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// StoreOptions returns the schema of the service's store and its migrations, for the commands
// that show or downgrade it.
func StoreOptions() (sqldb.Options, error) { return store.Options() }
