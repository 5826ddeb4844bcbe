package main

// commandSection is a list of commands under one title of the help.
type commandSection struct {
	title    string
	commands []command
}

// allCommands returns all commands. Some commands are also a group, such as "limits".
// Such a command comes after the commands of its group, because findCommand returns the
// first match.
func allCommands() []command {
	var all []command
	for _, s := range commandSections() {
		all = append(all, s.commands...)
	}
	return all
}

// commandSections returns all commands in the order of the help.
func commandSections() []commandSection {
	return []commandSection{
		{"Keys and limits", keyCommands()},
		{"Requests and savings", recordCommands()},
		{"Models and policy", policyCommands()},
		{"Accounts and users", accountCommands()},
		{"Data and maintenance", maintenanceCommands()},
		{"Split deployment", splitCommands()},
	}
}

func accountCommands() []command {
	return []command{
		{name: "accounts list", summary: "list all accounts", run: listAccounts, examples: []string{"", "--json"}},
		{name: "accounts show", arguments: "ACCOUNT", summary: "show an account and its users", run: showAccount,
			examples: []string{"operator", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d"}},
		{name: "accounts reset-password", arguments: "EMAIL", summary: "sign a user out everywhere and create a link to set a new password", run: resetPassword,
			examples: []string{"ann@example.com", "ann@example.com --yes --json"}},
		{name: "invites list", summary: "list the open invites of an account", run: listInvites, examples: []string{"--account acme"}},
		{name: "invites create", summary: "create a link to join an account or to create a new account", run: createInvite,
			examples: []string{"--account acme --role viewer", "--new-account"}},
		{name: "invites revoke", arguments: "INVITE", summary: "revoke an invite", run: revokeInvite, examples: []string{"0198c0de-7d5a"}},
		{name: "sessions list", arguments: "USER", summary: "list the sessions of a user", run: listSessions, examples: []string{"ann@example.com"}},
		{name: "sessions end", arguments: "USER", summary: "sign a user out everywhere, or end one session", run: endSessions,
			examples: []string{"ann@example.com", "ann@example.com --session 0198c0de-7d5a --yes"}},
	}
}

func keyCommands() []command {
	return []command{
		{name: "keys list", summary: "list the keys of an account", run: listKeys, examples: []string{"", "--account acme"}},
		{name: "keys create", summary: "create a key and show it once", run: createKey,
			examples: []string{"--name billing --models auto --expires 90d", "--account acme --name ci --scopes chat --usd-per-day 5"}},
		{name: "keys edit", arguments: "KEY", summary: "change settings of a key; all other settings stay the same", run: editKey,
			examples: []string{"sbx_live_Ab12 --name reports", "sbx_live_Ab12 --tags eu,legal --expires never"}},
		{name: "keys rotate", arguments: "KEY", summary: "create a replacement key; the old key expires after the overlap", run: rotateKey,
			examples: []string{"sbx_live_Ab12", "sbx_live_Ab12 --overlap 1h"}},
		{name: "keys revoke", arguments: "KEY", summary: "revoke a key permanently", run: revokeKey, examples: []string{"sbx_live_Ab12", "sbx_live_Ab12 --yes"}},
		{name: "limits set", summary: "set limits and budgets of an account or a key", run: setLimits,
			examples: []string{"--requests-per-minute 600 --budget-month 50", "--account acme --budget-day 5.00", "--key sbx_live_Ab12 --tokens-per-minute 0"}},
		{name: "limits", summary: "show limits, spend and recently rejected requests of an account and its keys", run: showLimits,
			examples: []string{"", "--account acme --json"}},
		{name: "webhook set", arguments: "URL", summary: "send a notice to a URL when 80 % and 100 % of a budget are spent", run: setWebhook,
			examples: []string{"https://hooks.example.com/signalbox", "none --account acme"}},
		{name: "webhook secret", summary: "create the signing secret for notices and show it once", run: rotateWebhookSecret,
			examples: []string{"", "--account acme --yes"}},
		{name: "webhook test", summary: "send a test notice and show the result", run: testWebhook, examples: []string{"", "--account acme"}},
	}
}

func recordCommands() []command {
	return []command{
		{name: "savings", summary: "show what requests cost, what the baseline would have cost, and what you saved", run: showSavings,
			examples: []string{"", "--by model", "--account acme --from 2026-11-01 --to 2026-12-01 --filter route:fallback --json"}},
		{name: "requests list", summary: "list the newest requests of an account", run: listRequests,
			examples: []string{"", "--account acme --filter outcome:error --limit 100"}},
		{name: "requests show", arguments: "ID", summary: "show one request with its route, cost and attempts", run: showRequest,
			examples: []string{"0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d --json"}},
		{name: "export verify", arguments: "FILE", summary: "compare an export with its checksums and list changed rows", run: verifyExport,
			examples: []string{"november.csv"}},
		{name: "export", summary: "write the requests of an account to a file, with checksums", run: exportRecords,
			examples: []string{"--out november.csv --from 2026-11-01 --to 2026-12-01", "--out all.ndjson --format ndjson --account acme"}},
		{name: "ledger completeness", summary: "compare the records that proxies sent with the records that are stored", run: showCompleteness, examples: []string{"", "--json"}},
		{name: "ledger dead-letters", summary: "list records that could not be decoded", run: listDeadLetters, examples: []string{"", "--json"}},
		{name: "ledger replay", summary: "try again to store dead letters, for example after an upgrade", run: replayDeadLetters, examples: []string{"", "--all"}},
	}
}

func policyCommands() []command {
	return []command{
		{name: "models", arguments: "[NAME]", summary: "list the models of the built-in catalog, or show one in detail", run: showModels,
			examples: []string{"", "--provider groq --capability tools", "gpt-oss-120b", "claude-sonnet-5-5 --json"}},
		{name: "policy validate", arguments: "FILE", summary: "check a policy file and report every problem with line and column", run: validatePolicy,
			examples: []string{"signalbox.yaml", "- --json"}},
		{name: "policy test", arguments: "FILE", summary: "check a policy file and run its routing tests; needs no service", run: testPolicy,
			examples: []string{"signalbox.yaml"}},
		{name: "policy list", summary: "list the policy versions and show which one is active", run: listPolicies, examples: []string{"", "--limit 5 --json"}},
		{name: "policy show", arguments: "[VERSION]", summary: "print the active policy or an older version", run: showPolicy,
			examples: []string{"", "3f0a5e1b2c3d"}},
		{name: "policy diff", arguments: "TO", summary: "show what a policy file or version would change", run: diffPolicy,
			examples: []string{"signalbox.yaml", "signalbox.yaml --text", "3f0a5e1b2c3d --from 0198c0de7d5a --exit-code"}},
		{name: "policy explain", arguments: "[QUESTION]", summary: "show which model a request would get, and why", run: explainPolicy,
			examples: []string{"", `'{"model":"auto","needs":["tools"]}'`, "question.json --draft signalbox.yaml --json"}},
		{name: "policy replay", summary: "show how a policy file would have routed past requests, with cost and quality", run: replayPolicy,
			examples: []string{"--draft signalbox.yaml --days 7", "--draft signalbox.yaml --account acme --filter route:fallback --json"}},
		{name: "policy publish", arguments: "FILE", summary: "activate a policy file if it is valid and its tests pass", run: publishPolicy,
			examples: []string{"signalbox.yaml", "signalbox.yaml --author ann --note cheaper"}},
		{name: "policy rollback", arguments: "VERSION", summary: "activate an older version again", run: rollbackPolicy,
			examples: []string{"3f0a5e1b2c3d", "3f0a5e1b2c3d --note mistake"}},
	}
}

func maintenanceCommands() []command {
	return []command{
		{name: "doctor", summary: "check that the gateway can start with these settings", run: runDoctor},
		{name: "backup", summary: "write the data directory to one archive, even while signalbox runs", run: writeBackup,
			examples: []string{"--data ./data --out monday.tar.gz", "--out - | ssh elsewhere 'cat > monday.tar.gz'"}},
		{name: "restore", arguments: "FILE", summary: "create a data directory from an archive", run: restoreBackup,
			examples: []string{"monday.tar.gz --data ./data"}},
		{name: "probe", arguments: "URL", summary: "request a health page and report the result by exit code", run: probeURL,
			examples: []string{"http://127.0.0.1:9080/readyz"}},
		{name: "version", summary: "print the version", run: printVersion},
	}
}

func splitCommands() []command {
	return []command{
		{name: "bootstrap", summary: "create the operator account, and show a link to create its login and a first key", run: bootstrap,
			examples: []string{"", "--keyauth 127.0.0.1:7002 --certs ./certs"}},
		{name: "certs", summary: "create the TLS certificates that the services use to identify each other", run: createCerts,
			examples: []string{"--dir ./certs --hosts keyauth,router"}},
		{name: "logins", summary: "create a Postgres login for each service", run: createLogins},
	}
}
