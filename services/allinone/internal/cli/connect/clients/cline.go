package clients

import (
	"path/filepath"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// cline adds a provider as `cline auth openai-compatible` does, and makes it the one that is
// used.
func cline() Client {
	return Client{
		Name: "cline", Title: "Cline",
		Overrides: []string{"CLINE_PROVIDER", "CLINE_MODEL", "CLINE_API_KEY"},
		Files: func(e Environment) []File {
			data := e.folder("CLINE_DATA_DIR", "")
			if e.Get("CLINE_DATA_DIR") == "" {
				data = filepath.Join(e.folder("CLINE_DIR", ".cline"), "data")
			}
			file := filepath.Join(data, "settings", "providers.json")
			if e.Get("CLINE_PROVIDER_SETTINGS_PATH") != "" {
				file = e.folder("CLINE_PROVIDER_SETTINGS_PATH", "")
			}
			return []File{{
				Paths: []userfiles.Path{in(filepath.Dir(file), filepath.Base(file))}, Format: edit.JSON, Strict: true, Entries: clineEntries,
			}}
		},
	}
}

func clineEntries(t Target) []edit.Entry {
	const name = "openai-compatible"
	at := func(field string) []string { return []string{"providers", name, "settings", field} }
	// Cline ignores a provider without the time of its last change.
	const changed = "2026-01-01T00:00:00.000Z"
	return []edit.Entry{
		{Path: []string{"version"}, Value: float64(1), IfMissing: true},
		value(name, "lastUsedProvider"),
		value(name, at("provider")...),
		value(t.URL+openAIPath, at("baseUrl")...),
		secret(t.Key, at("apiKey")...),
		value("auto", at("model")...),
		{Path: []string{"providers", name, "updatedAt"}, Value: changed, IfMissing: true},
	}
}
