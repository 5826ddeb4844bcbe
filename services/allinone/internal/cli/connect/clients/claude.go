package clients

import (
	"strings"
	"unicode"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/edit"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// claude sets environment variables in the user settings of Claude Code. They win over
// those of the shell. A model whose name does not start with "claude" is missing in the list
// of models, so the alias of "auto" is used.
//
// Claude Code sends an API key beside the token, and then the gateway rejects the request. So
// the variable of the key is empty, which also hides that of the shell, and the program that
// prints a key is removed. A status line of the user stays.
func claude() Client {
	return Client{
		Name: "claude", Title: "Claude Code",
		Overrides: []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"},
		Files: func(e Environment) []File {
			return []File{{
				Paths: []userfiles.Path{in(e.folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")}, Format: edit.JSON, Strict: true, Entries: claudeEntries,
			}}
		},
	}
}

func claudeEntries(t Target) []edit.Entry {
	const model = "claude-auto"
	return []edit.Entry{
		value(t.URL+vendorPath, "env", "ANTHROPIC_BASE_URL"),
		secret(t.Key, "env", "ANTHROPIC_AUTH_TOKEN"),
		secret("", "env", "ANTHROPIC_API_KEY"),
		{Path: []string{"apiKeyHelper"}, Absent: true, Secret: true},
		value(model, "env", "ANTHROPIC_MODEL"),
		value(model, "env", "ANTHROPIC_SMALL_FAST_MODEL"),
		value("1", "env", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"),
		{Path: []string{"statusLine"}, Value: statusLine(t.Program), IfMissing: true},
	}
}

// statusLine runs the command statusline. Claude Code passes its variables on.
func statusLine(program string) map[string]any {
	return map[string]any{"type": "command", "command": quoteForShell(program) + " statusline"}
}

// quoteForShell quotes a path that contains more than letters, digits and usual signs.
func quoteForShell(path string) string {
	isPlain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !isPlain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
