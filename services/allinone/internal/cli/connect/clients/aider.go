package clients

import (
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// aider sets the options of Aider in the configuration file in the home folder. Aider knows
// no prices and limits of "auto" and would ask about them at every start.
func aider() Client {
	return Client{
		Name: "aider", Title: "Aider",
		Overrides: []string{"AIDER_MODEL", "AIDER_OPENAI_API_BASE", "AIDER_OPENAI_API_KEY"},
		Files: func(e Environment) []File {
			return []File{{
				Paths: []userfiles.Path{{Base: e.Home, Rel: ".aider.conf.yml"}}, Format: edit.YAML, Entries: aiderEntries,
			}}
		},
	}
}

func aiderEntries(t Target) []edit.Entry {
	return []edit.Entry{
		value("openai/auto", "model"),
		value(t.URL+openAIPath, "openai-api-base"),
		secret(t.Key, "openai-api-key"),
		value(false, "show-model-warnings"),
	}
}
