package allinone

import (
	"fmt"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/router"
)

// PreviousCommit is the version that Downgrade prepares the stores for. `make release` builds it,
// and upgrades and downgrades stores that it filled. Change it together with the schemas below.
const PreviousCommit = "54f59b8f91057f6b68f1f38598ea4d352f91a764"

// Store is the store of one service.
type Store struct {
	Service string
	// Schema is the number of migrations that this version applies, and Previous the number
	// that PreviousCommit applies.
	Schema, Previous int

	file    string
	options sqldb.Options
}

// Stores returns the stores of all services.
func Stores() ([]Store, error) {
	all := []Store{
		{Service: "keyauth", Previous: 6, file: "keyauth.db"},
		{Service: "router", Previous: 4, file: "policy.db"},
		{Service: "dashboard", Previous: 14, file: "records.db"},
	}
	for i, options := range []func() (sqldb.Options, error){keyauth.StoreOptions, router.StoreOptions, dashboard.StoreOptions} {
		var err error
		if all[i].options, err = options(); err != nil {
			return nil, err
		}
		if all[i].Schema, err = sqldb.SchemaVersion(all[i].options); err != nil {
			return nil, fmt.Errorf("store of %s: %w", all[i].Service, err)
		}
	}
	return all, nil
}
