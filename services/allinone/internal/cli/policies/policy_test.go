package policies

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
	"github.com/signalbox/signalbox/services/router"
)

var commands = clitest.Commands(Commands())

const (
	good  = "version: 1\nmodels: {sandbox-large: {}}\nroutes: {auto: {select: [{name: big, target: sandbox-large}]}}\n"
	other = "version: 1\nmodels: {sandbox-small: {}}\nroutes: {auto: {select: [{name: big, target: sandbox-small}]}}\n"
	bad   = "version: 1\nmodles: {}\nroutes: 5\n"
)

// startRouter starts a router, on a policy file if file is not empty. It returns the
// data directory.
func startRouter(t *testing.T, file string) (data string) {
	t.Helper()
	data, err := os.MkdirTemp("", "cli") // a short name, for the socket
	require.NoError(t, err)
	svc, err := router.New(t.Context(), router.Config{Data: data, Policy: file},
		router.Deps{Listener: rpc.NewMemory().Listener(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- svc.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, svc.Close())
		require.NoError(t, os.RemoveAll(data))
	})
	return data
}

func writePolicyFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestPolicyFromStandardInput(t *testing.T) {
	var o, e bytes.Buffer
	in := strings.NewReader("version: 1\nmodels: {sandbox-small: {}}\n")
	program := &cli.Program{Sections: []cli.Section{{Commands: Commands()}}}
	require.NoError(t, program.Dispatch(t.Context(), cli.Invocation{Args: []string{"policy", "validate", "-"}, In: in, Out: &o, Err: &e}))
	require.Contains(t, o.String(), "OK ")
}

func TestPolicyFilesAreCheckedWithoutAService(t *testing.T) {
	path := writePolicyFile(t, bad)
	for _, verb := range []string{"validate", "test"} {
		out, errs, said := commands.RunFailing(t, "policy", verb, path)
		require.Empty(t, out)
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		require.Len(t, lines, 2)
		require.True(t, strings.HasPrefix(lines[0], path+":2:1: modles: UNKNOWN_FIELD: "), lines[0])
		require.Contains(t, lines[0], `did you mean "models"?`)
		require.True(t, strings.HasPrefix(lines[1], path+":3:9: "), lines[1])
		require.Equal(t, path+": 2 problems", said)
	}
	out, _, _ := commands.RunFailing(t, "policy", "validate", path, "--json")
	var view struct {
		Version  *string
		Problems policy.Problems
	}
	require.NoError(t, json.Unmarshal([]byte(out), &view))
	require.Nil(t, view.Version)
	require.Equal(t, 2, view.Problems[0].Line)

	out, errs := commands.Run(t, "policy", "validate", writePolicyFile(t, good))
	require.Regexp(t, `^OK [0-9a-f]{12}\n$`, out)
	require.Empty(t, errs)
	out, _ = commands.Run(t, "policy", "test", writePolicyFile(t, good))
	require.Regexp(t, `^OK [0-9a-f]{12}, 0 tests\n$`, out)
	out, _ = commands.Run(t, "policy", "validate", writePolicyFile(t, good), "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &view))
	require.Len(t, *view.Version, 64)
	require.Contains(t, out, `"problems": []`)
}

type versionView struct {
	Version, Origin, Author, Note, Document string
	Active                                  bool
}

func versions(t *testing.T, data string) (all []versionView) {
	t.Helper()
	var list cli.List[versionView]
	out, _ := commands.Run(t, "policy", "list", "--json", "--data", data)
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	return list.Items
}

func TestPublishAndRollback(t *testing.T) {
	data := startRouter(t, "")
	first := versions(t, data)[0].Version
	out, _ := commands.Run(t, "policy", "publish", writePolicyFile(t, good), "--note", "bigger", "--author", "ann", "--over", first, "--data", data)
	require.Regexp(t, `^Active policy: [0-9a-f]{12} \(origin: publish\)\n$`, out)
	all := versions(t, data)
	require.Len(t, all, 2)
	require.Equal(t, []any{"publish", "ann", "bigger", true}, []any{all[0].Origin, all[0].Author, all[0].Note, all[0].Active})
	out, _ = commands.Run(t, "policy", "show", "--data", data)
	require.Equal(t, good, out)

	_, _, said := commands.RunFailing(t, "policy", "publish", writePolicyFile(t, other), "--over", first, "--data", data)
	require.Contains(t, said, "POLICY_CONFLICT")
	path := writePolicyFile(t, bad)
	_, errs, said := commands.RunFailing(t, "policy", "publish", path, "--data", data)
	require.Equal(t, path+": 2 problems, nothing was published", said)
	require.Contains(t, errs, path+":2:1: modles: UNKNOWN_FIELD")
	path = writePolicyFile(t, "version: 1\nproviders:\n  mine: {kind: openai, base_url: https://collect.example/v1, keys: [{ref: env:HOME}]}\n")
	_, errs, _ = commands.RunFailing(t, "policy", "publish", path, "--data", data)
	require.Contains(t, errs, path+":3:75: providers.mine.keys[0].ref: SECRET_NOT_ALLOWED: ")
	require.Len(t, versions(t, data), 2)

	out, _ = commands.Run(t, "policy", "rollback", first[:12], "--note", "back", "--data", data)
	require.Equal(t, "Active policy: "+first[:12]+" (origin: rollback)\n", out)
	require.True(t, versions(t, data)[1].Active)
	_, _, said = commands.RunFailing(t, "policy", "rollback", "ffff", "--data", data)
	require.Contains(t, said, "NOT_FOUND")
	var got struct {
		Version versionView
		Fault   string `json:"file_fault"`
	}
	out, _ = commands.Run(t, "policy", "show", all[0].Version[:12], "--json", "--data", data)
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, good, got.Version.Document)
}

func TestPolicyDiff(t *testing.T) {
	data := startRouter(t, writePolicyFile(t, good))
	out, _ := commands.Run(t, "policy", "diff", writePolicyFile(t, "# why\n"+good), "--exit-code", "--data", data)
	require.Contains(t, out, "0 changes in meaning from ")
	out, _, said := commands.RunFailing(t, "policy", "diff", writePolicyFile(t, other), "--exit-code", "--data", data)
	require.Equal(t, "the policies differ", said)
	require.Regexp(t, `(?m)^removed +models\.sandbox-large +\{`, out)
	require.Regexp(t, `(?m)^added +models\.sandbox-small +\{`, out)
	require.Regexp(t, `(?m)^changed +routes\.auto\.select\[big\]\S+ .*sandbox-large.* -> .*sandbox-small`, out)
	out, _ = commands.Run(t, "policy", "diff", writePolicyFile(t, other), "--text", "--data", data)
	require.Contains(t, out, "\n-models: {sandbox-large: {}}\n")
	out, _ = commands.Run(t, "policy", "diff", versions(t, data)[0].Version[:8], "--from", writePolicyFile(t, other), "--json", "--data", data)
	require.Contains(t, out, `"kind": "removed"`)
	path := writePolicyFile(t, bad)
	_, errs, said := commands.RunFailing(t, "policy", "diff", path, "--data", data)
	require.Contains(t, errs, path+":2:1: ")
	require.Contains(t, said, "POLICY_INVALID")
}

func TestPolicyExplain(t *testing.T) {
	data := startRouter(t, writePolicyFile(t, good))
	out, _ := commands.Run(t, "policy", "explain", "--data", data)
	require.Contains(t, out, "by rule big")
	require.Regexp(t, `(?m)^sandbox-large +sandbox +CHOSEN +0\.88 +\$0\.\d+ +unknown +First choice`, out)
	require.Contains(t, out, "No quality was predicted")
	out, _ = commands.Run(t, "policy", "explain", `{"input_tokens":10}`, "--draft", writePolicyFile(t, other), "--json", "--data", data)
	var d struct {
		Plan     []struct{ Model string }
		Verdicts []struct {
			Code string
			Nano int64 `json:"predicted_nano_usd"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &d))
	require.Equal(t, "sandbox-small", d.Plan[0].Model)
	require.NotZero(t, d.Verdicts[0].Nano)
	out, _ = commands.Run(t, "policy", "explain", `{"model":"auto","temperature":0.2,"messages":[{"role":"user","content":"Hello"}]}`, "--data", data)
	require.Contains(t, out, "by rule big")
	_, _, said := commands.RunFailing(t, "policy", "explain", `{"model":"auto","messages":"Hello"}`, "--data", data)
	require.Contains(t, said, "messages must be an array")
	_, _, said = commands.RunFailing(t, "policy", "explain", `{"modle":"auto"}`, "--data", data)
	require.Contains(t, said, `unknown field "modle"`)
	_, _, said = commands.RunFailing(t, "policy", "explain", `{"model":"nowhere"}`, "--data", data)
	require.Contains(t, said, "MODEL_NOT_FOUND")
	_, errs, _ := commands.RunFailing(t, "policy", "explain", "--draft", writePolicyFile(t, bad), "--data", data)
	require.Contains(t, errs, "signalbox.yaml:2:1: ")
}

// A body of any protocol is parsed by the proxy's parser, and the words say what it is.
func TestPolicyExplainsARequestBody(t *testing.T) {
	const dial = "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes: {auto: {select: [{strategy: cheapest, min_quality: 0.6, candidates: [sandbox-small, sandbox-large]}]}}\n"
	data := startRouter(t, writePolicyFile(t, dial))
	const text = "Fix this:\\n```go\\nfunc f() int { return nil }\\n```"
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"` + text + `"}]}`,
		`{"system":"be brief","max_tokens":900,"messages":[{"role":"user","content":[{"type":"text","text":"` + text + `"}]}]}`,
		`{"instructions":"be brief","input":"` + text + `"}`,
		`{"contents":[{"role":"user","parts":[{"text":"` + text + `"}]}]}`,
	} {
		file := filepath.Join(t.TempDir(), "body.json")
		require.NoError(t, os.WriteFile(file, []byte(body), 0o600))
		out, _ := commands.Run(t, "policy", "explain", file, "--data", data)
		require.Contains(t, out, "Go code (harder), asks to fix something (harder)", body)
		require.Contains(t, out, "Outside what the predictor was trained on", body)
		require.Regexp(t, `(?m)^sandbox-large +sandbox +\S+ +0\.\d\d \(0\.\d\d–1\.00\) `, out)
	}
	out, _ := commands.Run(t, "policy", "explain", `{"input":"hi"}`, "--protocol", "responses", "--json", "--data", data)
	require.Contains(t, out, `"greeting or thanks"`)
	require.Contains(t, out, `"quality_low"`)
	_, _, said := commands.RunFailing(t, "policy", "explain", `{"input":"hi"}`, "--protocol", "smoke", "--data", data)
	require.Contains(t, said, "use one of chat, messages, responses, gemini, embeddings")
}

func TestPublishFailsWithAPolicyFile(t *testing.T) {
	data := startRouter(t, writePolicyFile(t, good))
	_, _, said := commands.RunFailing(t, "policy", "publish", writePolicyFile(t, other), "--data", data)
	require.Contains(t, said, "--config")
	require.Contains(t, said, "POLICY_READ_ONLY")
	require.Len(t, versions(t, data), 1)
}
