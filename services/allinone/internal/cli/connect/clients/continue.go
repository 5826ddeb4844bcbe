package clients

import (
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// continueCLI adds a model to the configuration of Continue. It becomes the first one, which
// is the default. The three fields at the top are required by Continue.
func continueCLI() Client {
	return Client{
		Name: "continue", Title: "Continue",
		Files: func(e Environment) []File {
			return []File{{
				Paths: []userfiles.Path{in(e.folder("CONTINUE_GLOBAL_DIR", ".continue"), "config.yaml")}, Format: edit.YAML, Entries: continueEntries,
			}}
		},
	}
}

func continueEntries(t Target) []edit.Entry {
	const name = "Signalbox"
	return []edit.Entry{
		{Path: []string{"name"}, Value: "Local config", IfMissing: true},
		{Path: []string{"version"}, Value: "1.0.0", IfMissing: true},
		{Path: []string{"schema"}, Value: "v1", IfMissing: true},
		{Path: []string{"models", edit.ItemPrefix + name}, Item: []edit.Field{
			{Name: "name", Value: name},
			{Name: "provider", Value: "openai"},
			{Name: "model", Value: "auto"},
			{Name: "apiBase", Value: t.URL + openAIPath},
			{Name: "apiKey", Value: t.Key, Secret: true},
			{Name: "roles", Value: []any{"chat"}},
			{Name: "capabilities", Value: []any{"tool_use"}},
		}},
	}
}
