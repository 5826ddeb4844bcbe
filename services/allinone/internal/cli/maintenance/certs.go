package maintenance

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// createCerts writes a development CA and one certificate for each role. Each
// certificate has its own directory. If a CA already exists, createCerts keeps it and
// issues new certificates.
func createCerts(_ context.Context, c cli.Invocation) error {
	var dir, hosts string
	set := config.New()
	set.String(&dir, "dir", "./certs", "directory to write to")
	set.String(&hosts, "hosts", "", "host names and addresses of the services besides localhost, separated by commas")
	if err := set.Load(c.Args, nil); err != nil {
		return err
	}
	names := strings.FieldsFunc(hosts, func(r rune) bool { return r == ',' || r == ' ' })
	if err := certs.Write(dir, certs.Roles(), names, time.Now()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "Wrote certificates for %s to %s, one directory each. The private key of the CA is in %s.\n",
		strings.Join(certs.Roles(), ", "), dir, filepath.Join(dir, "ca"))
	return err
}

// checkCerts prints when each certificate ends. It fails if one ends soon, so that a scheduled job
// can warn.
func checkCerts(_ context.Context, c cli.Invocation) error {
	var dir string
	var within time.Duration
	set := config.New()
	set.FlagsOnly(true)
	set.String(&dir, "dir", "./certs", "directory of the certificates")
	set.Duration(&within, "within", certs.WarnBefore, "fail if a certificate ends within this time")
	if err := set.Load(c.Args, nil); err != nil {
		return err
	}
	all, err := certs.Expiries(dir)
	if err != nil {
		return err
	}
	rows := [][]string{{"CERTIFICATE", "ENDS"}}
	for _, e := range all {
		rows = append(rows, []string{e.Role, e.Ends.UTC().Format(time.RFC3339)})
	}
	if err := c.PrintResult(false, nil, rows...); err != nil {
		return err
	}
	if first := all[0]; time.Until(first.Ends) < within {
		return fmt.Errorf("the certificate of %s ends at %s: run signalbox certs again", first.Role, first.Ends.UTC().Format(time.RFC3339))
	}
	return nil
}
