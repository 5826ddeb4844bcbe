package clients

import (
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// qwen selects the sign-in with an OpenAI key in the settings of Qwen Code, and puts address
// and key into the .env file beside them, which wins over the variables in the settings.
func qwen() Client {
	return Client{
		Name: "qwen", Title: "Qwen Code",
		Overrides: []string{"OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"},
		Files: func(e Environment) []File {
			folder := e.folder("QWEN_HOME", ".qwen")
			return []File{
				{Paths: []userfiles.Path{in(folder, ".env")}, Format: edit.Dotenv, Entries: qwenVariables},
				{Paths: []userfiles.Path{in(folder, "settings.json")}, Format: edit.JSON, Entries: qwenSettings},
			}
		},
	}
}

func qwenVariables(t Target) []edit.Entry {
	return []edit.Entry{
		value(t.URL+openAIPath, "OPENAI_BASE_URL"),
		secret(t.Key, "OPENAI_API_KEY"),
		value("auto", "OPENAI_MODEL"),
	}
}

func qwenSettings(Target) []edit.Entry {
	return []edit.Entry{
		value("openai", "security", "auth", "selectedType"),
		value("auto", "model", "name"),
	}
}
