package access

import "github.com/signalbox/signalbox/services/allinone/internal/cli"

// KeyCommands returns the commands for keys, limits and webhooks.
func KeyCommands() []cli.Command {
	return []cli.Command{
		{Name: "keys list", Summary: "list the keys of an account", Run: listKeys, Examples: []string{"", "--account acme"}},
		{Name: "keys create", Summary: "create a key and show it once", Run: createKey,
			Examples: []string{"--name billing --models auto --expires 90d", "--account acme --name ci --scopes chat --usd-per-day 5"}},
		{Name: "keys edit", Arguments: "KEY", Summary: "change settings of a key; all other settings stay the same", Run: editKey,
			Examples: []string{"sbx_live_Ab12 --name reports", "sbx_live_Ab12 --tags eu,legal --expires never"}},
		{Name: "keys rotate", Arguments: "KEY", Summary: "create a replacement key; the old key expires after the overlap", Run: rotateKey,
			Examples: []string{"sbx_live_Ab12", "sbx_live_Ab12 --overlap 1h"}},
		{Name: "keys revoke", Arguments: "KEY", Summary: "revoke a key permanently", Run: revokeKey, Examples: []string{"sbx_live_Ab12", "sbx_live_Ab12 --yes"}},
		{Name: "limits set", Summary: "set limits and budgets of an account or a key", Run: setLimits,
			Examples: []string{"--requests-per-minute 600 --budget-month 50", "--account acme --budget-day 5.00", "--key sbx_live_Ab12 --tokens-per-minute 0"}},
		{Name: "limits", Summary: "show limits, spend and recently rejected requests of an account and its keys", Run: showLimits,
			Examples: []string{"", "--account acme --json"}},
		{Name: "budgets list", Summary: "list the budgets of tags, users and agents, and what they have spent", Run: listBudgets, Examples: []string{"", "--account acme --json"}},
		{Name: "budgets set", Arguments: "NAME", Summary: "create or change a budget of a tag, of users, of agents, or of each key", Run: setBudget,
			Examples: []string{"research --tag research --usd-per-month 200", "users --user '*' --usd-per-day 1 --usd-per-week 5", "pilot --agent codex --usd-total 50"}},
		{Name: "budgets remove", Arguments: "NAME", Summary: "remove a budget", Run: removeBudget, Examples: []string{"research", "research --yes"}},
		{Name: "webhook set", Arguments: "URL", Summary: "send a notice to a URL when 80 % and 100 % of a budget are spent", Run: setWebhook,
			Examples: []string{"https://hooks.example.com/signalbox", "none --account acme"}},
		{Name: "webhook secret", Summary: "create the signing secret for notices and show it once", Run: rotateWebhookSecret,
			Examples: []string{"", "--account acme --yes"}},
		{Name: "webhook test", Summary: "send a test notice and show the result", Run: testWebhook, Examples: []string{"", "--account acme"}},
	}
}

// AccountCommands returns the commands for accounts, invites, API tokens and sign-ins.
func AccountCommands() []cli.Command {
	return []cli.Command{
		{Name: "accounts list", Summary: "list all accounts", Run: listAccounts, Examples: []string{"", "--json"}},
		{Name: "accounts show", Arguments: "ACCOUNT", Summary: "show an account and its users", Run: showAccount,
			Examples: []string{"operator", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d"}},
		{Name: "accounts reset-password", Arguments: "EMAIL", Summary: "sign a user out everywhere and create a link to set a new password", Run: resetPassword,
			Examples: []string{"ann@example.com", "ann@example.com --yes --json"}},
		{Name: "invites list", Summary: "list the open invites of an account", Run: listInvites, Examples: []string{"--account acme"}},
		{Name: "invites create", Summary: "create a link to join an account or to create a new account", Run: createInvite,
			Examples: []string{"--account acme --role viewer", "--new-account"}},
		{Name: "invites revoke", Arguments: "INVITE", Summary: "revoke an invite", Run: revokeInvite, Examples: []string{"0198c0de-7d5a"}},
		{Name: "tokens list", Summary: "list the API tokens of an account", Run: listTokens, Examples: []string{"", "--account acme --json"}},
		{Name: "tokens create", Summary: "create an API token for automation and show it once", Run: createToken,
			Examples: []string{"--name ci --scopes read,keys", "--name deploy --scopes read,policy --expires 30d", "--account acme --user ann@example.com --name report"}},
		{Name: "tokens revoke", Arguments: "TOKEN", Summary: "revoke an API token permanently", Run: revokeToken, Examples: []string{"0198c0de-7d5a", "0198c0de-7d5a --yes"}},
		{Name: "sign-ins list", Arguments: "USER", Summary: "list the sign-ins of a user", Run: listSignIns, Examples: []string{"ann@example.com"}},
		{Name: "sign-ins end", Arguments: "USER", Summary: "sign a user out everywhere, or end one sign-in", Run: endSignIns,
			Examples: []string{"ann@example.com", "ann@example.com --sign-in 0198c0de-7d5a --yes"}},
	}
}

// BootstrapCommand returns the command that creates the operator account.
func BootstrapCommand() cli.Command {
	return cli.Command{
		Name: "bootstrap", Summary: "create the operator account, and show a link to create its login and a first key", Run: bootstrap,
		Examples: []string{"", "--keyauth 127.0.0.1:7002 --certs ./certs"},
	}
}
