package connect

import "github.com/signalbox/signalbox/services/allinone/internal/cli"

// Commands returns the commands that set client programs up.
func Commands() []cli.Command {
	return []cli.Command{
		{Name: "connect", Arguments: "CLIENT", Summary: "set a coding agent up to use this gateway, with a key of its own", Run: connectClient,
			Examples: []string{"claude", "codex --dry-run", "aider --key sbx_live_Ab12… --yes", "qwen --server keyauth:7002 --certs ./certs --url https://signalbox.example.com"}},
		{Name: "disconnect", Arguments: "CLIENT", Summary: "restore the settings of a coding agent and revoke its key", Run: disconnectClient,
			Examples: []string{"claude", "codex --dry-run", "aider --yes"}},
	}
}
