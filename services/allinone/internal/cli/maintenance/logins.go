package maintenance

import (
	"context"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// createLogins creates a Postgres login for each service that stores data. The
// logins are named signalbox_<service>.
func createLogins(ctx context.Context, c cli.Invocation) error {
	services := []string{"keyauth", "router", "dashboard"}
	passwords := make([]config.Secret, len(services))
	var url config.Secret
	set := config.New()
	set.Secret(&url, "postgres-url", "database URL with the login of a superuser")
	for i, s := range services {
		set.Secret(&passwords[i], s+"-password", "password of the new login signalbox_"+s)
	}
	if err := set.Load(c.Args, c.Environ); err != nil {
		return err
	}
	var logins []sqldb.ServiceLogin
	var names []string
	for i, s := range services {
		l := sqldb.ServiceLogin{Name: "signalbox_" + s, Password: passwords[i].Reveal(), Schema: s}
		logins, names = append(logins, l), append(names, l.Name)
	}
	if err := sqldb.CreateLogins(ctx, url.Reveal(), logins); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "Created the logins %s. Each one owns the schema of its service.\n", strings.Join(names, ", "))
	return err
}
