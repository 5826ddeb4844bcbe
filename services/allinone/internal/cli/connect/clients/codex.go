package clients

import (
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// codex adds a model provider to the configuration of Codex. The key is a bearer token in
// the file, because env_key would need a variable in every shell. Codex refuses a provider
// that has both.
func codex() Client {
	return Client{
		Name: "codex", Title: "Codex",
		Files: func(e Environment) []File {
			return []File{{
				Paths: []userfiles.Path{in(e.folder("CODEX_HOME", ".codex"), "config.toml")}, Format: edit.TOML, Entries: codexEntries,
			}}
		},
	}
}

func codexEntries(t Target) []edit.Entry {
	const providers, name = "model_providers", "signalbox"
	return []edit.Entry{
		value("auto", "model"),
		value(name, "model_provider"),
		value("Signalbox", providers, name, "name"),
		value(t.URL+openAIPath, providers, name, "base_url"),
		value("responses", providers, name, "wire_api"),
		secret(t.Key, providers, name, "experimental_bearer_token"),
		{Path: []string{providers, name, "env_key"}, Absent: true},
	}
}
