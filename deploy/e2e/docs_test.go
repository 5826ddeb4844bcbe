package e2e

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A code block of the documentation whose info string contains the word run is
// executed: sh by bash, python with the libraries that it imports, and yaml is validated
// as a policy. A block with file=NAME is also written to that file. The blocks of a page
// run in order, in one working directory with bin/ and data/ as `make run` leaves
// them, and with the key in $SIGNALBOX_KEY. A block with the word postgres also has the URL of
// an empty database in $POSTGRES_URL and the tools of Postgres in the path, and one with the word redis the URL of an
// empty Redis in $REDIS_URL. An output block that follows lists lines that the block before it must have printed; …
// stands for any text.

const docsRoot = "../../docs"

// codeBlock is one fenced block of a page.
type codeBlock struct {
	language string
	words    []string
	text     string
	line     int
}

func (b codeBlock) has(word string) bool { return slices.Contains(b.words, word) }

// needsGateway reports whether the block runs and may call the gateway. A policy is
// validated without one.
func (b codeBlock) needsGateway() bool { return b.has("run") && b.language != "yaml" }

// fileName returns the value of file=, or "".
func (b codeBlock) fileName() string {
	for _, w := range b.words {
		if name, ok := strings.CutPrefix(w, "file="); ok {
			return name
		}
	}
	return ""
}

func parseCodeBlocks(page string) (blocks []codeBlock) {
	var open *codeBlock
	for i, line := range strings.Split(page, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			words := append(strings.Fields(info), "")
			open = &codeBlock{language: words[0], words: words[1:], line: i + 1}
		case fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return blocks
}

func TestParseCodeBlocks(t *testing.T) {
	blocks := parseCodeBlocks("a\n```sh run file=x\necho hi\n```\n```\nplain\n```\n")
	require.Len(t, blocks, 2)
	require.True(t, blocks[0].has("run"))
	require.Equal(t, "x", blocks[0].fileName())
	require.Equal(t, "echo hi\n", blocks[0].text)
	require.Equal(t, 2, blocks[0].line)
	require.False(t, blocks[1].has("run"))
}

// TestDocsExamplesRun executes every block that is marked as runnable.
func TestDocsExamplesRun(t *testing.T) {
	t.Parallel()
	pages := []string{"../../README.md"}
	require.NoError(t, filepath.WalkDir(docsRoot, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	}))
	ran := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		blocks := parseCodeBlocks(string(text))
		if !slices.ContainsFunc(blocks, func(b codeBlock) bool { return b.has("run") }) {
			continue
		}
		ran++
		name, err := filepath.Rel("../..", page)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runPage(t, name, blocks)
		})
	}
	require.Greater(t, ran, 3)
}

// The guide for daily operation promises that all its commands are executed.
func TestEveryCommandOfDay2Runs(t *testing.T) {
	text, err := os.ReadFile(docsRoot + "/day-2.md")
	require.NoError(t, err)
	for _, b := range parseCodeBlocks(string(text)) {
		require.True(t, b.has("run") || b.language == "output", "docs/day-2.md:%d is not executed", b.line)
	}
}

// docsRun is the state of one page while its blocks run.
type docsRun struct {
	box *Gateway
	dir string
	// output is what the last block printed.
	output string
	// postgresURL is the database of the page, once a block needed it.
	postgresURL string
}

// postgres returns the variables of a block that uses Postgres.
func (r *docsRun) postgres(t *testing.T) []string {
	t.Helper()
	if r.postgresURL == "" {
		r.postgresURL = newPostgres(t).URL
	}
	tools, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	require.NoError(t, err)
	return []string{"POSTGRES_URL=" + r.postgresURL, "PATH=" + strings.Join(append(tools, os.Getenv("PATH")), ":")}
}

func runPage(t *testing.T, page string, blocks []codeBlock) {
	run := &docsRun{box: &Gateway{Data: t.TempDir()}, dir: t.TempDir()}
	if slices.ContainsFunc(blocks, codeBlock.needsGateway) {
		run.box = Start(t)
	}
	bin, err := filepath.Abs(binDir)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(bin, filepath.Join(run.dir, "bin")))
	require.NoError(t, os.Symlink(run.box.Data, filepath.Join(run.dir, "data")))
	for _, b := range blocks {
		text := strings.ReplaceAll(b.text, "http://127.0.0.1:8080", run.box.Base)
		if name := b.fileName(); name != "" {
			require.NoError(t, os.WriteFile(filepath.Join(run.dir, name), []byte(text), 0o600))
		}
		switch {
		case b.language == "output":
			requireOutput(t, page, b, run.output)
		case b.has("run"):
			run.execute(t, page, b, text)
		}
	}
}

func (r *docsRun) execute(t *testing.T, page string, b codeBlock, text string) {
	t.Helper()
	var cmd *exec.Cmd
	switch b.language {
	case "sh":
		// Variables survive from one block to the next, as in a terminal.
		script := "set -eu\n[ ! -e .env ] || . ./.env\n" + text + "\nexport -p >.env\n"
		cmd = exec.CommandContext(t.Context(), "bash", "-c", script)
	case "python":
		cmd = exec.CommandContext(t.Context(), pythonFor(t, text), "-c", text)
	case "yaml":
		file := filepath.Join(r.dir, "example.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		cmd = exec.CommandContext(t.Context(), signalboxPath, "policy", "validate", file)
	default:
		t.Fatalf("%s:%d: %q cannot be run", page, b.line, b.language)
	}
	cmd.Dir = r.dir
	cmd.Env = append(cleanEnvironment(), "SIGNALBOX_KEY="+r.box.Key)
	if b.has("postgres") {
		cmd.Env = append(cmd.Env, r.postgres(t)...)
	}
	if b.has("redis") {
		cmd.Env = append(cmd.Env, "REDIS_URL="+newRedis(t).URL)
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s:%d\n%s\n%s", page, b.line, text, out)
	r.output = string(out)
}

// pythonFor returns an interpreter with the libraries that the program imports.
func pythonFor(t *testing.T, program string) string {
	t.Helper()
	libraries := "openai"
	if strings.Contains(program, "import anthropic") || strings.Contains(program, "from google import genai") {
		libraries = "vendors"
	}
	out, err := exec.CommandContext(t.Context(), "../scripts/clients", "python", libraries).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// requireOutput wants every line of the block in the output, in order.
func requireOutput(t *testing.T, page string, b codeBlock, output string) {
	t.Helper()
	rest := output
	for line := range strings.Lines(b.text) {
		for part := range strings.SplitSeq(strings.TrimSpace(line), "…") {
			at := strings.Index(rest, strings.TrimSpace(part))
			require.GreaterOrEqual(t, at, 0, "%s:%d: %q is not in the output:\n%s", page, b.line, part, output)
			rest = rest[at+len(strings.TrimSpace(part)):]
		}
	}
}

// TestDocsAreServed opens the documentation as a reader without a session does.
func TestDocsAreServed(t *testing.T) {
	t.Parallel()
	box := StartAllInOne(t)
	for path, want := range map[string]string{
		"/docs":                           "Signalbox documentation",
		"/docs/getting-started":           "Getting started",
		"/docs/search?q=budget":           "<mark>",
		"/docs/search?q=fallback":         "/docs/",
		"/docs/search?q=AUTH_MISSING_KEY": "/docs/errors#AUTH_MISSING_KEY",
		"/docs/search?q=qwxyz":            "No section contains",
		"/docs/search":                    "Search the documentation",
	} {
		status, body := get(t, box.Base+path)
		require.Equal(t, http.StatusOK, status, path)
		require.Contains(t, body, want, path)
	}
	status, _ := get(t, box.Base+"/docs/nothing")
	require.Equal(t, http.StatusNotFound, status)
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	res, err := (&http.Client{Timeout: waitTimeout}).Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}
