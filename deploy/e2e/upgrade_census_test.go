package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// census describes what must survive a change of the version. The maps contain a summary by id.
type census struct {
	// Key is an API key that works.
	Key      string            `json:"key"`
	Accounts map[string]string `json:"accounts"`
	Keys     map[string]string `json:"keys"`
	Policies map[string]string `json:"policies"`
	Requests map[string]string `json:"requests"`
}

func (c census) requireContains(t *testing.T, earlier census) {
	t.Helper()
	require.Subset(t, c.Accounts, earlier.Accounts)
	require.Subset(t, c.Keys, earlier.Keys)
	require.Subset(t, c.Policies, earlier.Policies)
	require.Subset(t, c.Requests, earlier.Requests)
}

func runBinary(t *testing.T, binary string, args ...string) commandResult {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = cleanEnvironment()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return commandResult{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// readItems runs a command that lists items, and summarizes each with the given fields.
func readItems(b *Gateway, binary string, fields []string, args ...string) map[string]string {
	b.t.Helper()
	res := runBinary(b.t, binary, append(args, "--json", "--data", b.Data)...)
	require.Zero(b.t, res.code, res.err)
	var list struct{ Items []map[string]any }
	require.NoError(b.t, json.Unmarshal([]byte(res.out), &list), res.out)
	all := map[string]string{}
	for _, item := range list.Items {
		var parts []string
		for _, f := range fields {
			parts = append(parts, fmt.Sprint(item[f]))
		}
		id, ok := item["id"].(string)
		if !ok {
			id = fmt.Sprint(item["version"]) // of a policy
		}
		all[id] = strings.Join(parts, " ")
	}
	return all
}

// takeCensus reads everything through the commands of a version.
func takeCensus(b *Gateway, binary string) census {
	b.t.Helper()
	c := census{
		Key:      b.Key,
		Accounts: readItems(b, binary, []string{"name", "operator"}, "accounts", "list"),
		Keys:     readItems(b, binary, []string{"name", "prefix", "state", "tags", "budget"}, "keys", "list"),
		Policies: readItems(b, binary, []string{"origin", "created_at"}, "policy", "list"),
		Requests: readItems(b, binary, []string{"time", "model", "outcome", "status", "cost_nano_usd", "saved_nano_usd", "tokens", "session", "key_id"}, "requests", "list", "--limit", "200"),
	}
	b.requireExactSavings(binary, c)
	return c
}

// requireExactSavings compares the sums, which are stored apart from the requests.
func (b *Gateway) requireExactSavings(binary string, c census) {
	b.t.Helper()
	res := runBinary(b.t, binary, "savings", "--from", "2026-01-01", "--json", "--data", b.Data)
	require.Zero(b.t, res.code, res.err)
	var sums struct{ Requests int }
	require.NoError(b.t, json.Unmarshal([]byte(res.out), &sums))
	require.Equal(b.t, len(c.Requests), sums.Requests)
}

const upgradePolicy = `version: 1
providers: {sandbox: {kind: sandbox}}
models: {sandbox-small: {}, sandbox-large: {}}
defaults: {baseline: sandbox-large}
routes:
  auto: {select: [{when: {key.tag: prod}, target: sandbox-large, name: prod-large}, {target: sandbox-small}]}
`

// fillStores adds requests of several kinds, keys in several states and a policy.
func fillStores(b *Gateway, binary string) {
	b.t.Helper()
	do := func(args ...string) string {
		res := runBinary(b.t, binary, append(args, "--data", b.Data)...)
		require.Zero(b.t, res.code, "%v: %s", args, res.err)
		return res.out
	}
	stored := len(readItems(b, binary, nil, "requests", "list", "--limit", "200"))
	file := filepath.Join(b.t.TempDir(), "policy.yaml")
	require.NoError(b.t, os.WriteFile(file, []byte(upgradePolicy+"# "+fmt.Sprint(stored)+"\n"), 0o600))
	do("policy", "publish", file, "--note", "upgrade test")
	name := fmt.Sprint("worker-", stored)
	var made struct{ ID, Key string }
	require.NoError(b.t, json.Unmarshal([]byte(do("keys", "create", "--name", name, "--tags", "prod", "--usd-per-day", "5", "--json")), &made))
	do("keys", "create", "--name", name+"-unused")
	worker := &Gateway{t: b.t, Base: b.Base, Key: made.Key}
	sent := 0
	for _, body := range []string{
		`{"model":"auto","messages":[{"role":"user","content":"hi"}]}`,
		`{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],"metadata":{"team":"blue"}}`,
		`{"model":"sandbox-large","messages":[{"role":"user","content":"hi"}]}`,
		`{"model":"auto","messages":[{"role":"user","content":"hi"}],"x_sandbox":{"status":503}}`,
		`{"model":"no-such-model","messages":[{"role":"user","content":"hi"}]}`,
	} {
		for _, sender := range []*Gateway{b, worker} {
			res, err := sender.Post(b.t.Context(), "/chat/completions", body)
			require.NoError(b.t, err)
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(b.t, err)
			require.NoError(b.t, res.Body.Close())
			require.NotEqual(b.t, 401, res.StatusCode, "the key works")
			sent++
		}
	}
	do("keys", "revoke", made.ID, "--yes")
	require.Eventually(b.t, func() bool {
		return len(readItems(b, binary, nil, "requests", "list", "--limit", "200")) == stored+sent
	}, waitTimeout, 5*pollInterval)
}
