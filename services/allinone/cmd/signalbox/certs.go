package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
)

// makeCerts writes a development CA and a certificate for each role; existing
// ones are renewed from the CA that is there.
func makeCerts(args []string) error {
	var dir, hosts string
	set := config.New()
	set.String(&dir, "dir", "./certs", "folder to write to")
	set.String(&hosts, "hosts", "", "names and addresses of the services beside localhost, separated by commas")
	if err := set.Load(args, nil); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	names := strings.FieldsFunc(hosts, func(r rune) bool { return r == ',' || r == ' ' })
	if err := certs.Write(dir, certs.Roles(), names, time.Now()); err != nil {
		return err
	}
	fmt.Printf("certificates of %s are in %s\n", strings.Join(certs.Roles(), ", "), dir)
	return nil
}
