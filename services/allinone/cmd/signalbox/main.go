// Command signalbox is the whole gateway in one process. Without a subcommand
// it runs; the subcommands are for operators.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/services/allinone"
)

// version is set by the build.
var version = "dev"

const verbs = `the gateway in one process: edge, API and dashboard

  signalbox            run it
  signalbox doctor     check that it could run with these settings, and say what is wrong
  signalbox certs      make the certificates by which services of the split shape know each other (--dir, --hosts)
  signalbox logins     give each service of the split shape a login of its own in Postgres (--postgres-url, --keyauth-password, ...)
  signalbox bootstrap  make the operator's account of the split shape (--keyauth, --certs, --public-url)
  signalbox probe URL  ask a health page; the exit code is the answer
  signalbox version    print the version

Settings, as flags or environment variables:

`

func main() {
	os.Exit(process.Main("signalbox", func(ctx context.Context) error {
		err := run(ctx, os.Args[1:])
		var help *config.Help
		if errors.As(err, &help) {
			return &config.Help{Usage: verbs + help.Usage}
		}
		return err
	}))
}

func run(ctx context.Context, args []string) error {
	verb := ""
	if len(args) > 0 && args[0] != "help" && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	switch verb {
	case "version":
		fmt.Println("signalbox", version)
		return nil
	case "certs":
		return makeCerts(args)
	case "logins":
		return makeLogins(ctx, args, os.Environ())
	case "bootstrap":
		return bootstrap(ctx, args, os.Environ())
	case "probe":
		return probe(ctx, args)
	case "", "doctor":
	default:
		return fmt.Errorf("%q is not a command; see signalbox help", verb)
	}
	cfg, err := allinone.LoadConfig(args, os.Environ())
	if err != nil {
		return err
	}
	cfg.Process.Telemetry.Version, cfg.Process.Telemetry.Getenv = version, os.Getenv
	if verb == "doctor" {
		return allinone.Doctor(ctx, cfg, os.Environ(), os.Stdout)
	}
	return allinone.Run(ctx, cfg, os.Environ(), os.Stdout)
}
