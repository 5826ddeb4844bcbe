package main

// table is every command, in the order of the help.
func table() []command {
	return []command{
		{name: "doctor", does: "check that it could run with these settings, and say what is wrong", run: doctor},
		{name: "accounts list", does: "list all accounts", run: listAccounts, examples: []string{"", "--json"}},
		{name: "accounts show", takes: "ACCOUNT", does: "show an account and its people", run: showAccount,
			examples: []string{"operator", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d"}},
		{name: "accounts reset-password", takes: "EMAIL", does: "end a person's password and sessions, and make a link that sets a new one", run: resetPassword,
			examples: []string{"ann@example.com", "ann@example.com --yes --json"}},
		{name: "keys list", does: "list the keys of an account", run: listKeys, examples: []string{"", "--account acme"}},
		{name: "keys create", does: "make a key, which is shown this once", run: createKey,
			examples: []string{"--name billing --models auto --expires 90d", "--account acme --name ci --scopes chat --usd-per-day 5"}},
		{name: "keys edit", takes: "KEY", does: "change settings of a key; what is not named stays", run: editKey,
			examples: []string{"sbx_live_Ab12 --name reports", "sbx_live_Ab12 --tags eu,legal --expires never"}},
		{name: "keys rotate", takes: "KEY", does: "make a successor, and let the old key work on for a while", run: rotateKey,
			examples: []string{"sbx_live_Ab12", "sbx_live_Ab12 --overlap 1h"}},
		{name: "keys revoke", takes: "KEY", does: "end a key for good", run: revokeKey, examples: []string{"sbx_live_Ab12", "sbx_live_Ab12 --yes"}},
		{name: "invites list", does: "list the invites of an account that can still be accepted", run: listInvites, examples: []string{"--account acme"}},
		{name: "invites create", does: "make a link by which a person joins an account or makes one", run: createInvite,
			examples: []string{"--account acme --role viewer", "--new-account"}},
		{name: "invites revoke", takes: "INVITE", does: "end an invite", run: revokeInvite, examples: []string{"0198c0de-7d5a"}},
		{name: "sessions list", takes: "PERSON", does: "list where a person is signed in", run: listSessions, examples: []string{"ann@example.com"}},
		{name: "sessions end", takes: "PERSON", does: "sign a person out, everywhere or of one session", run: endSessions,
			examples: []string{"ann@example.com", "ann@example.com --session 0198c0de-7d5a --yes"}},
		{name: "bootstrap", does: "make the operator's account of the split shape", run: bootstrap,
			examples: []string{"", "--keyauth 127.0.0.1:7002 --certs ./certs"}},
		{name: "certs", does: "make the certificates by which services of the split shape know each other", run: makeCerts,
			examples: []string{"--dir ./certs --hosts keyauth,router"}},
		{name: "logins", does: "give each service of the split shape a login of its own in Postgres", run: makeLogins},
		{name: "probe", takes: "URL", does: "ask a health page; the exit code is the answer", run: probe,
			examples: []string{"http://127.0.0.1:9080/readyz"}},
		{name: "version", does: "print the version", run: printVersion},
	}
}
