package clients

import (
	"path/filepath"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// gemini selects the sign-in with a key in the settings of Gemini CLI. Address and key have
// no settings, so they go to the .env file beside them.
func gemini() Client {
	return Client{
		Name: "gemini", Title: "Gemini CLI",
		Overrides: []string{"GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"},
		Note:      "Gemini CLI reads its .env file only in folders that you trust, and a project's own .env file instead of it.",
		Files: func(e Environment) []File {
			folder := filepath.Join(e.folder("GEMINI_CLI_HOME", ""), ".gemini")
			return []File{
				{Paths: []userfiles.Path{in(folder, ".env")}, Format: edit.Dotenv, Entries: geminiVariables},
				{Paths: []userfiles.Path{in(folder, "settings.json")}, Format: edit.JSON, Entries: geminiSettings},
			}
		},
	}
}

func geminiVariables(t Target) []edit.Entry {
	return []edit.Entry{
		value(t.URL+vendorPath, "GOOGLE_GEMINI_BASE_URL"),
		secret(t.Key, "GEMINI_API_KEY"),
		value("gemini-auto", "GEMINI_MODEL"),
	}
}

func geminiSettings(Target) []edit.Entry {
	return []edit.Entry{value("gemini-api-key", "security", "auth", "selectedType")}
}
