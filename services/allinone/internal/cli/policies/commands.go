package policies

import "github.com/signalbox/signalbox/services/allinone/internal/cli"

// Commands returns the commands for policies and their rollouts.
func Commands() []cli.Command {
	return append([]cli.Command{
		{Name: "policy validate", Arguments: "FILE", Summary: "check a policy file and report every problem with line and column", Run: validatePolicy,
			Examples: []string{"signalbox.yaml", "- --json"}},
		{Name: "policy test", Arguments: "FILE", Summary: "check a policy file and run its routing tests; needs no service", Run: testPolicy,
			Examples: []string{"signalbox.yaml"}},
		{Name: "policy list", Summary: "list the policy versions and show which one is active", Run: listPolicies, Examples: []string{"", "--limit 5 --json"}},
		{Name: "policy show", Arguments: "[VERSION]", Summary: "print the active policy or an older version", Run: showPolicy,
			Examples: []string{"", "3f0a5e1b2c3d"}},
		{Name: "policy diff", Arguments: "TO", Summary: "show what a policy file or version would change", Run: diffPolicy,
			Examples: []string{"signalbox.yaml", "signalbox.yaml --text", "3f0a5e1b2c3d --from 0198c0de7d5a --exit-code"}},
		{Name: "policy explain", Arguments: "[QUESTION]", Summary: "show which model a request would get, and why", Run: explainPolicy,
			Examples: []string{"", `'{"model":"auto","needs":["tools"]}'`, `'{"messages":[{"role":"user","content":"Hello"}]}'`, "question.json --draft signalbox.yaml --json"}},
		{Name: "policy replay", Summary: "show how a policy file would have routed past requests, with cost and quality", Run: replayPolicy,
			Examples: []string{"--draft signalbox.yaml --days 7", "--draft signalbox.yaml --account acme --filter route:fallback --json"}},
		{Name: "policy publish", Arguments: "FILE", Summary: "activate a policy file if it is valid and its tests pass", Run: publishPolicy,
			Examples: []string{"signalbox.yaml", "signalbox.yaml --author ann --note cheaper"}},
		{Name: "policy rollback", Arguments: "VERSION", Summary: "activate an older version again", Run: rollbackPolicy,
			Examples: []string{"3f0a5e1b2c3d", "3f0a5e1b2c3d --note mistake"}},
	}, rolloutCommands()...)
}
