package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
)

// makeCerts writes a development CA and a certificate for each role, each in a
// folder of its own; existing ones are renewed from the CA that is there.
func makeCerts(_ context.Context, c call) error {
	var dir, hosts string
	set := config.New()
	set.String(&dir, "dir", "./certs", "folder to write to")
	set.String(&hosts, "hosts", "", "names and addresses of the services beside localhost, separated by commas")
	if err := set.Load(c.args, nil); err != nil {
		return err
	}
	names := strings.FieldsFunc(hosts, func(r rune) bool { return r == ',' || r == ' ' })
	if err := certs.Write(dir, certs.Roles(), names, time.Now()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "certificates of %s are in folders of their own in %s; the CA's key is in %s\n",
		strings.Join(certs.Roles(), ", "), dir, filepath.Join(dir, "ca"))
	return err
}
