package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
)

// snippet is how the page Start connects a tool.
type snippet struct{ ID, Env, Quote, Text string }

// fill returns the text for a gateway, like the function buildTool of the page.
func (s snippet) fill(base, key string) string {
	return strings.NewReplacer("{{base}}", base+"/proxy/v1", "{{root}}", base+"/proxy", "{{key}}", s.Quote+key+s.Quote).Replace(s.Text)
}

// Every snippet of the page Start works as it is copied. Tools that the suite does not install
// are checked for syntax.
func TestSnippetsOfThePageStart(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../services/dashboard/ui/src/pages/start/tools.json")
	require.NoError(t, err)
	var all []snippet
	require.NoError(t, json.Unmarshal(text, &all))
	gw := e2e.Start(t)
	checks := map[string]func(t *testing.T, s snippet, program string){
		"python": runsWith(python, "-"), "langchain": runsWith(python, "-"),
		"node": runsWith(node, "--input-type=module", "-"), "aisdk": runsWith(node, "--input-type=module", "-"),
		"go":      runsAsGo,
		"litellm": parsesWith("import ast, sys; ast.parse(sys.stdin.read())"),
		"codex":   parsesWith("import tomllib, sys; c = tomllib.loads(sys.stdin.read()); assert c['model_providers'][c['model_provider']]['base_url']"),
		"claude":  parsesAsShell("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_MODEL"),
		"env":     parsesAsShell("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "GEMINI_API_KEY"),
		"cursor":  func(t *testing.T, _ snippet, program string) { require.Contains(t, program, gw.Base+"/proxy/v1") },
	}
	require.Len(t, checks, len(all))
	for _, s := range all {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			program := s.fill(gw.Base, gw.Key)
			require.NotContains(t, program, "{{")
			checks[s.ID](t, s, program)
		})
	}
}

// runsWith runs a program of a library's language and wants the response of the sandbox.
func runsWith(r runtime, args ...string) func(*testing.T, snippet, string) {
	return func(t *testing.T, _ snippet, program string) {
		interpreter, err := r.installed()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), interpreter, args...)
		cmd.Dir, cmd.Stdin = filepath.Join(".", r.folder), strings.NewReader(program)
		requireAnswer(t, cmd)
	}
}

func runsAsGo(t *testing.T, _ snippet, program string) {
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "run", file)
	cmd.Dir = ".." // the module that has the library
	requireAnswer(t, cmd)
}

func requireAnswer(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env = append(os.Environ(), "LANGSMITH_TRACING=false")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "Sandbox answer")
}

func parsesWith(checker string) func(*testing.T, snippet, string) {
	return func(t *testing.T, _ snippet, program string) {
		interpreter, err := python.installed()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), interpreter, "-c", checker)
		cmd.Stdin = strings.NewReader(program)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

// parsesAsShell wants a shell to set the variables. The last line may start a program.
func parsesAsShell(names ...string) func(*testing.T, snippet, string) {
	return func(t *testing.T, _ snippet, program string) {
		script := strings.TrimSuffix(program, "\nclaude")
		for _, name := range names {
			script += "\ntest -n \"$" + name + "\" || exit 1"
		}
		out, err := exec.CommandContext(t.Context(), "bash", "-euc", script).CombinedOutput()
		require.NoError(t, err, string(out))
	}
}
