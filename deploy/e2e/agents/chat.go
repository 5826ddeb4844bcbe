package agents

import "fmt"

// The agents that speak chat completions.

const openCodeConfig = `{
  "$schema": "https://opencode.ai/config.json",
  "autoupdate": false, "share": "disabled",
  "provider": {"signalbox": {
    "npm": "@ai-sdk/openai-compatible", "name": "Signalbox",
    "options": {"baseURL": "%s/proxy/v1", "apiKey": "{env:SIGNALBOX_KEY}"},
    "models": {"auto": {"name": "auto", "limit": {"context": 128000, "output": 8192}}}
  }},
  "model": "signalbox/auto", "small_model": "signalbox/auto",
  "permission": {"*": "allow"}
}`

var openCode = Agent{
	Name: "OpenCode", Package: "opencode-linux-x64", Version: "1.18.34",
	Program: "node_modules/opencode-linux-x64/bin/opencode", Protocol: "chat", Client: "opencode",
	Files: func(t Target) map[string]string {
		return map[string]string{".config/opencode/opencode.json": fmt.Sprintf(openCodeConfig, t.URL)}
	},
	Env: func(t Target) []string {
		return []string{"SIGNALBOX_KEY=" + t.Key, "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_AUTOUPDATE=1"}
	},
	Args: func(_ Target, task string) []string { return []string{"run", task} },
}

var qwenCode = Agent{
	Name: "Qwen Code", Package: "@qwen-code/qwen-code", Version: "0.24.4",
	Program: "node_modules/.bin/qwen", Protocol: "chat", Client: "qwen-code",
	Files: func(Target) map[string]string {
		return map[string]string{".qwen/settings.json": `{"privacy":{"usageStatisticsEnabled":false}}`}
	},
	Env: func(t Target) []string {
		return []string{"OPENAI_BASE_URL=" + t.URL + "/proxy/v1", "OPENAI_API_KEY=" + t.Key, "OPENAI_MODEL=auto"}
	},
	Args: func(_ Target, task string) []string {
		return []string{"--auth-type", "openai", "--yolo", "-p", task}
	},
}

const piModels = `{"providers": {"signalbox": {
  "baseUrl": "%s/proxy/v1", "api": "openai-completions", "apiKey": "SIGNALBOX_KEY",
  "models": [{"id": "auto", "contextWindow": 128000, "maxTokens": 8192}]
}}}`

var pi = Agent{
	Name: "pi", Package: "@mariozechner/pi-coding-agent", Version: "0.73.1",
	Program: "node_modules/.bin/pi", Protocol: "chat", Client: "openai-node",
	Files: func(t Target) map[string]string {
		return map[string]string{".pi/agent/models.json": fmt.Sprintf(piModels, t.URL)}
	},
	Env: func(t Target) []string { return []string{"SIGNALBOX_KEY=" + t.Key, "PI_OFFLINE=1"} },
	Args: func(_ Target, task string) []string {
		return []string{"--provider", "signalbox", "--model", "auto", "-p", task}
	},
}

var cline = Agent{
	Name: "Cline", Package: "@cline/cli-linux-x64", Version: "3.0.65",
	Program: "node_modules/.bin/cline", Protocol: "chat", Client: "vercel-ai-sdk",
	Before: func(t Target) []string {
		return []string{"auth", "openai-compatible", "-k", t.Key, "-m", "auto", "-b", t.URL + "/proxy/v1"}
	},
	Args: func(_ Target, task string) []string { return []string{"--yolo", task} },
}

const continueConfig = `name: signalbox
version: 1.0.0
schema: v1
models:
  - name: auto
    provider: openai
    model: auto
    apiBase: %s/proxy/v1
    apiKey: %s
    roles: [chat]
    capabilities: [tool_use]
`

var continueCLI = Agent{
	Name: "Continue", Package: "@continuedev/cli", Version: "1.5.47",
	Program: "node_modules/.bin/cn", Protocol: "chat", Client: "openai-node",
	Files: func(t Target) map[string]string {
		return map[string]string{".continue/config.yaml": fmt.Sprintf(continueConfig, t.URL, t.Key)}
	},
	Env: func(Target) []string { return []string{"CONTINUE_TELEMETRY_ENABLED=0"} },
	Args: func(t Target, task string) []string {
		return []string{"--config", t.Home + "/.continue/config.yaml", "--auto", "-p", task}
	},
}

var aider = Agent{
	Name: "Aider", Package: "aider-chat", Version: "0.86.2", Python: true,
	Program: "bin/aider", Protocol: "chat", Client: "openai-python",
	Env: func(t Target) []string {
		return []string{"OPENAI_API_BASE=" + t.URL + "/proxy/v1", "OPENAI_API_KEY=" + t.Key, "AIDER_ANALYTICS_DISABLE=true"}
	},
	Args: func(t Target, task string) []string {
		return []string{
			"--model", "openai/auto", "--edit-format", "diff", "--yes-always", "--no-git", "--no-check-update", "--no-show-model-warnings",
			"--message", task, t.Folder + "/greeting.txt",
		}
	},
}
