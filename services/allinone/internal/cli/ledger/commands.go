package ledger

import "github.com/signalbox/signalbox/services/allinone/internal/cli"

// Commands returns the commands that read the ledger or add feedback to it.
func Commands() []cli.Command {
	return []cli.Command{
		{Name: "savings", Summary: "show what requests cost, what the baseline would have cost, and what you saved", Run: showSavings,
			Examples: []string{"", "--by model", "--account acme --from 2026-11-01 --to 2026-12-01 --filter route:fallback --json"}},
		{Name: "requests list", Summary: "list the newest requests of an account", Run: listRequests,
			Examples: []string{"", "--account acme --filter outcome:error --limit 100"}},
		{Name: "requests show", Arguments: "ID", Summary: "show one request with its route, cost and attempts", Run: showRequest,
			Examples: []string{"0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d --json"}},
		{Name: "sessions", Summary: "list the sessions of agents with their cost", Run: listSessions,
			Examples: []string{"", "--agent claude-code --user ann --from 2026-11-01", "--sort cost --limit 10 --json"}},
		{Name: "alerts", Summary: "list the alerts of an account and which of them fire", Run: listAlerts,
			Examples: []string{"", "--account acme --json"}},
		{Name: "export verify", Arguments: "FILE", Summary: "compare an export with its checksums and list changed rows", Run: verifyExport,
			Examples: []string{"november.csv"}},
		{Name: "export", Summary: "write the requests of an account to a file, with checksums", Run: exportRecords,
			Examples: []string{"--out november.csv --from 2026-11-01 --to 2026-12-01", "--out all.ndjson --format ndjson --account acme"}},
		{Name: "feedback import", Arguments: "FILE", Summary: "import feedback on requests from a CSV or NDJSON file", Run: importFeedback,
			Examples: []string{"november.csv", "survey.ndjson --account acme --skip-invalid"}},
		{Name: "ledger completeness", Summary: "compare the records that proxies sent with the records that are stored", Run: showCompleteness, Examples: []string{"", "--json"}},
		{Name: "ledger dead-letters", Summary: "list records that could not be decoded", Run: listDeadLetters, Examples: []string{"", "--json"}},
		{Name: "ledger replay", Summary: "try again to store dead letters, for example after an upgrade", Run: replayDeadLetters, Examples: []string{"", "--all"}},
	}
}
