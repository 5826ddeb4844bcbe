package models

import "github.com/signalbox/signalbox/services/allinone/internal/cli"

// Commands returns the command that shows the catalog.
func Commands() []cli.Command {
	return []cli.Command{
		{Name: "models", Arguments: "[NAME]", Summary: "list the models of the built-in catalog, or show one in detail", Run: showModels,
			Examples: []string{"", "--provider groq --capability tools", "gpt-oss-120b", "claude-sonnet-5-5 --json"}},
	}
}
