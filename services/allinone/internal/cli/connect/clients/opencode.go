package clients

import (
	"path/filepath"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// opencode adds a provider to the global configuration of OpenCode. Of its two files,
// opencode.jsonc wins.
func opencode() Client {
	return Client{
		Name: "opencode", Title: "OpenCode",
		Overrides: []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG_CONTENT"},
		Files: func(e Environment) []File {
			folder := filepath.Join(e.folder("XDG_CONFIG_HOME", ".config"), "opencode")
			return []File{{
				Paths:  []userfiles.Path{in(folder, "opencode.jsonc"), in(folder, "opencode.json")},
				Format: edit.JSON, Entries: opencodeEntries,
			}}
		},
	}
}

func opencodeEntries(t Target) []edit.Entry {
	const provider, name, model = "provider", "signalbox", "signalbox/auto"
	return []edit.Entry{
		// OpenCode adds the schema to a file that lacks it, which would count as an edit.
		{Path: []string{"$schema"}, Value: "https://opencode.ai/config.json", IfMissing: true},
		value("@ai-sdk/openai-compatible", provider, name, "npm"),
		value("Signalbox", provider, name, "name"),
		value(t.URL+openAIPath, provider, name, "options", "baseURL"),
		secret(t.Key, provider, name, "options", "apiKey"),
		value("auto", provider, name, "models", "auto", "name"),
		value(contextTokens, provider, name, "models", "auto", "limit", "context"),
		value(outputTokens, provider, name, "models", "auto", "limit", "output"),
		value(model, "model"),
		value(model, "small_model"),
	}
}

// The window of the model auto, for clients that ask for it: every model that a default
// policy chooses has at least this.
const (
	contextTokens = float64(128000)
	outputTokens  = float64(8192)
)
