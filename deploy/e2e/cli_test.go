package e2e

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// commandResult is the output and exit code of a command.
type commandResult struct {
	out, err string
	code     int
}

// cli runs a command against the gateway: over its socket, or over the address of
// keyauth with the operator's certificate.
func (b *Gateway) cli(args ...string) commandResult {
	b.t.Helper()
	where := []string{"--data", b.Data}
	if b.Data == "" {
		keyauth := b.running("keyauth")
		where = []string{"--server", readProcessEnv(keyauth, "SIGNALBOX_LISTEN"), "--certs", readProcessEnv(keyauth, "SIGNALBOX_CERTS"), "--public-url", b.Dashboard}
	}
	return runCLI(b.t, append(args, where...)...)
}

func runCLI(t *testing.T, args ...string) commandResult {
	t.Helper()
	return runCLIWithEnv(t, cleanEnvironment(), args...)
}

func runCLIWithEnv(t *testing.T, env []string, args ...string) commandResult {
	t.Helper()
	cmd := Command(t.Context(), env, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return commandResult{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// cliJSON runs a command that must succeed and decodes its output.
func (b *Gateway) cliJSON(into any, args ...string) {
	b.t.Helper()
	a := b.cli(append(args, "--json")...)
	require.Zero(b.t, a.code, "%v\n%s", args, a.err)
	require.Empty(b.t, a.err)
	require.NoError(b.t, json.Unmarshal([]byte(a.out), into), a.out)
}

type cliKey struct {
	ID, Name, Prefix, State, Key string
	AccountID                    string `json:"account_id"`
	Tags                         []string
	ReplacedBy                   string `json:"replaced_by"`
}

type cliList[T any] struct{ Items []T }

// status returns the proxy's status for a key.
func (b *Gateway) status(key string) int {
	b.t.Helper()
	with := &Gateway{t: b.t, Base: b.Base, Key: key}
	res, err := with.Post(b.t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	require.NoError(b.t, err)
	require.NoError(b.t, res.Body.Close())
	return res.StatusCode
}

func TestKeysByCommandLine(t *testing.T) { forEachDeployment(t, keysByCommandLine) }

func keysByCommandLine(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	made := box.cli("keys", "create", "--name", "by hand", "--tags", "eu")
	require.Zero(t, made.code, made.err)
	secret := keyLine.FindStringSubmatch(made.out)[1]
	require.Equal(t, http.StatusOK, box.status(secret))
	require.Empty(t, made.err)
	require.NotContains(t, box.Output(), secret)

	table := box.cli("keys", "list")
	require.NotContains(t, table.out, secret)
	require.Contains(t, table.out, "by hand")
	var edited cliKey
	box.cliJSON(&edited, "keys", "edit", secret[:14], "--name", "renamed")
	require.Equal(t, "renamed", edited.Name)
	require.Equal(t, []string{"eu"}, edited.Tags, "what was not named stays")

	var next cliKey
	box.cliJSON(&next, "keys", "rotate", edited.ID, "--overlap", "1h", "--yes")
	require.Equal(t, http.StatusOK, box.status(next.Key))
	require.Equal(t, http.StatusOK, box.status(secret), "both work during the overlap")

	refused := box.cli("keys", "revoke", next.Prefix)
	require.Equal(t, 1, refused.code)
	require.Contains(t, refused.err, "--yes")
	require.Equal(t, http.StatusOK, box.status(next.Key))

	// A key that is found is shown with all its settings.
	revoked := box.cli("keys", "revoke", next.Key, "--yes")
	require.Zero(t, revoked.code, revoked.err)
	require.NotContains(t, revoked.out, next.Key)
	require.Eventually(t, func() bool { return box.status(next.Key) == http.StatusUnauthorized }, waitTimeout, pollInterval)
	var all cliList[cliKey]
	box.cliJSON(&all, "keys", "list")
	states := map[string]string{}
	for _, k := range all.Items {
		require.Empty(t, k.Key)
		states[k.ID] = k.State
	}
	require.Equal(t, "revoked", states[next.ID])
	require.Equal(t, "active", states[edited.ID])

	none := box.cli("keys", "revoke", "sbx_live_nobody", "--yes")
	require.Equal(t, commandResult{err: "signalbox: no such key (NOT_FOUND)\n", code: 1}, none)
}

func TestPeopleByCommandLine(t *testing.T) { forEachDeployment(t, peopleByCommandLine) }

func peopleByCommandLine(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	const email, first, second = "ann@cli.example", "a first fine password", "a second fine password"
	var invite struct{ URL, Token string }
	box.cliJSON(&invite, "invites", "create", "--new-account")
	link, err := url.Parse(invite.URL)
	require.NoError(t, err)
	require.Equal(t, invite.Token, link.Query().Get("token"))
	require.Equal(t, box.Dashboard, "http://"+link.Host)
	page, err := edgeClient.Get(invite.URL)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Equal(t, http.StatusOK, page.StatusCode)
	ann := box.NewVisitor()
	status, body := ann.CallWithPassword("/invites/accept", map[string]string{"token": invite.Token, "email": email, "password": first, "name": "anns"}, nil)
	require.Less(t, status, 300, "%s", body)

	var account struct {
		ID    string
		Users []struct{ ID, Email, Role string }
	}
	box.cliJSON(&account, "accounts", "show", "anns")
	require.Len(t, account.Users, 1)
	require.Equal(t, email, account.Users[0].Email)
	require.Equal(t, "owner", account.Users[0].Role)
	var accounts cliList[struct {
		ID       string
		Operator bool
	}]
	box.cliJSON(&accounts, "accounts", "list")
	require.Contains(t, accounts.Items, struct {
		ID       string
		Operator bool
	}{account.ID, false})
	var key cliKey
	box.cliJSON(&key, "keys", "create", "--account", account.ID[:len(account.ID)-2], "--name", "hers")
	require.Equal(t, account.ID, key.AccountID)

	var sessions cliList[struct{ ID string }]
	box.cliJSON(&sessions, "sign-ins", "list", email)
	require.Len(t, sessions.Items, 1)
	ended := box.cli("sign-ins", "end", email, "--sign-in", sessions.Items[0].ID, "--yes")
	require.Zero(t, ended.code, ended.err)
	status, _ = ann.Call(http.MethodGet, "/keys", nil, nil)
	require.Equal(t, http.StatusUnauthorized, status)
	signIn(t, ann, email, first, http.StatusOK)
	ended = box.cli("sign-ins", "end", email, "--yes")
	require.Zero(t, ended.code, ended.err)
	status, _ = ann.Call(http.MethodGet, "/keys", nil, nil)
	require.Equal(t, http.StatusUnauthorized, status)

	var reset struct{ URL, Token string }
	box.cliJSON(&reset, "accounts", "reset-password", email, "--yes")
	require.Contains(t, reset.URL, "/password?token=")
	signIn(t, ann, email, first, http.StatusUnauthorized)
	status, body = ann.Call(http.MethodPost, "/password/set", map[string]string{"token": reset.Token, "password": second}, nil)
	require.Less(t, status, 300, "%s", body)
	signIn(t, ann, email, second, http.StatusOK)

	require.Zero(t, box.cli("invites", "create", "--account", "anns", "--role", "viewer").code)
	var invites cliList[struct{ ID, Role string }]
	box.cliJSON(&invites, "invites", "list", "--account", "anns")
	require.Len(t, invites.Items, 1)
	require.Equal(t, "viewer", invites.Items[0].Role)
	gone := box.cli("invites", "revoke", invites.Items[0].ID, "--yes")
	require.Zero(t, gone.code, gone.err)
	box.cliJSON(&invites, "invites", "list", "--account", "anns")
	require.Empty(t, invites.Items)
}

func signIn(t *testing.T, a *APIClient, email, password string, want int) {
	t.Helper()
	status, body := a.CallWithPassword("/login", map[string]string{"email": email, "password": password}, nil)
	require.Equal(t, want, status, "%s", body)
}

// The socket exists as long as the process runs. A socket that a crash left behind does
// not prevent a start.
func TestTheSocketOfTheCommandLine(t *testing.T) {
	t.Parallel()
	box := Start(t)
	socket := filepath.Join(box.Data, "keyauth.sock")
	info, err := os.Stat(socket)
	require.NoError(t, err)
	require.Equal(t, fs.ModeSocket|0o600, info.Mode())

	box.Kill()
	a := box.cli("accounts", "list")
	require.Equal(t, 2, a.code)
	require.Contains(t, a.err, "no running signalbox uses the data directory "+box.Data)
	require.Equal(t, 1, strings.Count(a.err, "\n"))

	box = box.Restart()
	require.Zero(t, box.cli("accounts", "list").code)
	box.Terminate()
	require.Zero(t, box.Wait())
	require.NoFileExists(t, socket)
	require.Equal(t, 2, box.cli("accounts", "list").code)
}

// Without the operator's certificate, keyauth of the split deployment rejects commands.
func TestTheCommandLineNeedsACertificate(t *testing.T) {
	t.Parallel()
	box := StartSplit(t)
	keyauth := box.running("keyauth")
	a := runCLI(t, "accounts", "list", "--server", readProcessEnv(keyauth, "SIGNALBOX_LISTEN"))
	require.Equal(t, 2, a.code)
	require.Contains(t, a.err, "--certs")
	require.Empty(t, a.out)
}

// If the path is too long for a socket, the process logs it and serves anyway.
func TestTheCommandLineInADeepFolder(t *testing.T) {
	t.Parallel()
	box := start(t, filepath.Join(t.TempDir(), strings.Repeat("deep", 25)))
	require.Equal(t, http.StatusOK, box.status(box.Key))
	require.Contains(t, box.Output(), "the command line cannot reach this process")
	a := box.cli("accounts", "list")
	require.Equal(t, 2, a.code)
	require.Contains(t, a.err, "the path of a socket can have at most")
}

func TestTheCommandLineOfABusyBox(t *testing.T) {
	t.Parallel()
	box := StartAllInOne(t)
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
				if err == nil {
					_ = res.Body.Close()
				}
			}
		})
	}
	for range 5 {
		var made cliKey
		box.cliJSON(&made, "keys", "create", "--name", "in a hurry")
	}
	close(stop)
	clients.Wait()
}

// runLedgerCommand runs a command that uses the dashboard, through the socket in its
// data directory, and keyauth.
func (b *Gateway) runLedgerCommand(args ...string) commandResult {
	b.t.Helper()
	where := []string{"--data", b.Data}
	if b.Data == "" {
		keyauth := b.running("keyauth")
		where = []string{
			"--data", readProcessEnv(b.running("dashboard"), "SIGNALBOX_DATA"),
			"--server", readProcessEnv(keyauth, "SIGNALBOX_LISTEN"), "--certs", readProcessEnv(keyauth, "SIGNALBOX_CERTS"),
		}
	}
	return runCLI(b.t, append(args, where...)...)
}

// A limit set by the command line applies at the proxy, and the ledger records the
// rejected request with the limit.
func TestLimitsByCommandLine(t *testing.T) { forEachDeployment(t, limitsByCommandLine) }

func limitsByCommandLine(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	avoidMidnight(t, time.Minute)
	var key cliKey
	box.cliJSON(&key, "keys", "create", "--name", "limited")
	require.Equal(t, http.StatusOK, box.status(key.Key))
	set := box.cli("limits", "set", "--key", key.ID, "--requests-per-minute", "1", "--budget-month", "50")
	require.Zero(t, set.code, set.err)
	require.Regexp(t, `(?m)^Monthly budget +\$50\.00$`, set.out)
	require.Zero(t, box.cli("limits", "set", "--budget-day", "1000").code)
	defer func() { require.Zero(t, box.cli("limits", "set", "--budget-day", "0").code) }() // others may use the box
	require.Eventually(t, func() bool { return box.status(key.Key) == http.StatusTooManyRequests }, waitTimeout, pollInterval)

	type usage struct {
		ID     string
		Limits struct {
			PerMinute int64 `json:"requests_per_minute"`
			PerDay    int64 `json:"nano_usd_per_day"`
		}
		Spent struct {
			Day struct {
				NanoUSD int64 `json:"nano_usd"`
			}
		}
		Refusals []struct {
			Code, Name, Scope string
			KeyID             string `json:"key_id"`
		}
	}
	var shown struct {
		Account usage
		Keys    []usage
	}
	require.Eventually(t, func() bool {
		a := box.runLedgerCommand("limits", "--json")
		return a.code == 0 && json.Unmarshal([]byte(a.out), &shown) == nil && len(shown.Account.Refusals) > 0 && shown.Account.Spent.Day.NanoUSD > 0
	}, waitTimeout, 10*pollInterval)
	require.EqualValues(t, 1_000_000_000_000, shown.Account.Limits.PerDay)
	refused := shown.Account.Refusals[0]
	require.Equal(t, []string{"RATE_LIMIT_EXCEEDED", "requests_per_minute", "key", key.ID}, []string{refused.Code, refused.Name, refused.Scope, refused.KeyID})
	for _, k := range shown.Keys {
		if k.ID == key.ID {
			require.EqualValues(t, 1, k.Limits.PerMinute)
			require.NotEmpty(t, k.Refusals)
		}
	}
	table := box.runLedgerCommand("limits")
	require.Regexp(t, `(?m)^account .* daily budget +\$1000\.00 +\$\d+\.\d+ +\[\.{20}\] 0% `, table.out)
	require.Regexp(t, `RATE_LIMIT_EXCEEDED +requests per minute +key +limited `, table.out)
}
