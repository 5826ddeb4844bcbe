package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/sqldb"
)

// makeLogins gives each service of the split shape that keeps something a login
// of its own in Postgres, named signalbox_<service>.
func makeLogins(ctx context.Context, c call) error {
	services := []string{"keyauth", "router", "dashboard"}
	passwords := make([]config.Secret, len(services))
	var url config.Secret
	set := config.New()
	set.Secret(&url, "postgres-url", "database, as its superuser")
	for i, s := range services {
		set.Secret(&passwords[i], s+"-password", "password to give to signalbox_"+s)
	}
	if err := set.Load(c.args, c.environ); err != nil {
		return err
	}
	var logins []sqldb.Login
	var names []string
	for i, s := range services {
		l := sqldb.Login{Name: "signalbox_" + s, Password: passwords[i].Reveal(), Schema: s}
		logins, names = append(logins, l), append(names, l.Name)
	}
	if err := sqldb.MakeLogins(ctx, url.Reveal(), logins); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "%s own their schemas\n", strings.Join(names, ", "))
	return err
}
