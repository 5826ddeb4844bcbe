package main

import (
	"slices"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/access"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/learned"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/ledger"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/maintenance"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/models"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/policies"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/providers"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/statusline"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/router"
)

// splitServices returns the services of a split deployment.
func splitServices() []cli.Service {
	return []cli.Service{
		{Name: "proxy", Summary: "serve clients and call model providers", Settings: settingsOf(proxy.LoadConfig)},
		{Name: "router", Summary: "decide which model serves a request", Settings: settingsOf(router.LoadConfig)},
		{Name: "keyauth", Summary: "hold accounts, keys and limits", Settings: settingsOf(keyauth.LoadConfig)},
		{Name: "dashboard", Summary: "store the records of requests and show them", Settings: settingsOf(dashboard.LoadConfig)},
	}
}

func settingsOf[T any](load func(args, environ []string) (T, error)) func() error {
	return func() error {
		_, err := load([]string{"--help"}, nil)
		return err
	}
}

// newProgram returns the command line with all commands, in the order of the help.
func newProgram() *cli.Program {
	return &cli.Program{
		Serve: maintenance.Serve,
		Sections: []cli.Section{
			{Title: "Coding agents", Commands: slices.Concat(connect.Commands(), statusline.Commands())},
			{Title: "Keys and limits", Commands: access.KeyCommands()},
			{Title: "Requests and savings", Commands: ledger.Commands()},
			{Title: "Models and policy", Commands: slices.Concat(models.Commands(), policies.Commands(), learned.Commands(), providers.Commands(), imports.Commands())},
			{Title: "Accounts and users", Commands: access.AccountCommands()},
			{Title: "Data and maintenance", Commands: maintenance.Commands()},
			{Title: "Split deployment", Commands: append([]cli.Command{access.BootstrapCommand()}, maintenance.SplitCommands()...)},
			{Title: "Shell and manual", Commands: []cli.Command{cli.CompletionCommand(), cli.ManualCommand(newProgram, splitServices())}},
		},
	}
}
