package agents

import "fmt"

// The agents that speak the protocol of one vendor.

var claudeCode = Agent{
	Name: "Claude Code", Package: "@anthropic-ai/claude-code-linux-x64", Version: "2.1.325",
	Program: "node_modules/@anthropic-ai/claude-code-linux-x64/claude", Protocol: "messages", Client: "claude-code",
	Env: func(t Target) []string {
		return []string{
			"ANTHROPIC_BASE_URL=" + t.URL + "/proxy", "ANTHROPIC_AUTH_TOKEN=" + t.Key, "ANTHROPIC_MODEL=auto",
			"ANTHROPIC_SMALL_FAST_MODEL=auto", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		}
	},
	Args: func(_ Target, task string) []string {
		return []string{"-p", task, "--output-format", "json", "--permission-mode", "acceptEdits"}
	},
}

const codexConfig = `model = "auto"
model_provider = "signalbox"

[model_providers.signalbox]
name = "Signalbox"
base_url = "%s/proxy/v1"
env_key = "SIGNALBOX_KEY"
wire_api = "responses"
`

var codex = Agent{
	Name: "Codex", Package: "@openai/codex", Version: "0.166.0-linux-x64",
	Program: "node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex", Protocol: "responses", Client: "codex",
	Files: func(t Target) map[string]string {
		return map[string]string{".codex/config.toml": fmt.Sprintf(codexConfig, t.URL)}
	},
	Env: func(t Target) []string { return []string{"SIGNALBOX_KEY=" + t.Key} },
	Args: func(_ Target, task string) []string {
		// The agent runs in a folder of its own, and its sandbox needs rights that test
		// machines lack.
		return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task}
	},
}

var geminiCLI = Agent{
	Name: "Gemini CLI", Package: "@google/gemini-cli", Version: "0.61.0",
	Program: "node_modules/.bin/gemini", Protocol: "gemini", Client: "gemini-cli",
	Files: func(Target) map[string]string {
		return map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false}}`}
	},
	Env: func(t Target) []string {
		return []string{"GOOGLE_GEMINI_BASE_URL=" + t.URL + "/proxy", "GEMINI_API_KEY=" + t.Key, "GEMINI_MODEL=gemini-auto", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	},
	Args: func(_ Target, task string) []string { return []string{"--yolo", "-p", task} },
}
