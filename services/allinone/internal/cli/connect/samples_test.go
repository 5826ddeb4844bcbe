package connect

// handWritten has settings of a user for every client, by file, with comments where the
// format allows them. Some values are those that connect changes.
var handWritten = map[string]map[string]string{
	"claude": {".claude/settings.json": `{
    // my settings
    "model": "opus", "apiKeyHelper": "echo mine",
    "env": { "ANTHROPIC_BASE_URL": "https://api.anthropic.com", /* keep */ "FOO": "1" },
    "permissions": {"allow": ["Bash(ls:*)"],},
}
`},
	"codex": {".codex/config.toml": `# my settings
model = "gpt-5" # favourite
approval_policy = 'on-request'

[model_providers.signalbox] # by hand
name = "Old"
env_key = "SIGNALBOX_KEY"

[projects."/home/me"]
trust_level = "trusted"`},
	"gemini": {
		".gemini/.env":          "# my settings\nGEMINI_API_KEY=\"AIza-mine\"   # paid\nFOO=1",
		".gemini/settings.json": "{\n\t// my settings\n\t\"security\": {\"auth\": {\"selectedType\": \"oauth-personal\"}},\n\t\"ui\": {}\n}",
	},
	"opencode": {".config/opencode/opencode.json": `{
  "$schema": "https://opencode.ai/config.json", // mine
  "model": "anthropic/claude", "provider": {"anthropic": {"options": {"apiKey": "sk-ant-mine"}}}
}`},
	"cline": {".cline/data/settings/providers.json": `{"version":1,"lastUsedProvider":"anthropic","providers":{"anthropic":{"settings":{"provider":"anthropic","apiKey":"sk-ant-mine"}}}}`},
	"continue": {".continue/config.yaml": `# my settings
name: Mine
version: 0.0.1
models:
  # favourite
  - name: Claude
    provider: anthropic
    apiKey: sk-ant-mine # secret
  - {name: Llama, provider: ollama}

rules: [be brief]
`},
	"aider": {".aider.conf.yml": "# my settings\nmodel: sonnet # favourite\n\nlint-cmd:\n  - \"python: flake8\"\n#dark-mode: true"},
	"qwen": {
		".qwen/.env":          "OPENAI_API_KEY=sk-mine\r\n# my settings\r\n",
		".qwen/settings.json": `{"model": {"name": "qwen3"}, "$version": 3}`,
	},
}

// edited is what a user or the client adds to a file while it is connected, and by which text
// the addition is found.
var edited = map[string]struct{ file, old, new, mark string }{
	"claude":   {".claude/settings.json", `"env": {`, `"theme": "dark", "env": {`, `"theme": "dark"`},
	"codex":    {".codex/config.toml", "", "\n[tui]\nnotifications = true\n", "notifications"},
	"gemini":   {".gemini/.env", "", "MINE=2\n", "MINE=2"},
	"opencode": {".config/opencode/opencode.json", `"provider": {`, `"theme": "dark", "provider": {`, `"theme": "dark"`},
	"cline":    {".cline/data/settings/providers.json", `"provider":`, `"timeout": 5, "provider":`, `"timeout": 5`},
	"continue": {".continue/config.yaml", "", "prompts: []\n", "prompts: []"},
	"aider":    {".aider.conf.yml", "", "\nvim: true\n", "vim: true"},
	"qwen":     {".qwen/settings.json", `"security": {`, `"ui": {"theme": "dark"}, "security": {`, `"theme": "dark"`},
}
