package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth"
)

// childVar makes this test binary run the program itself.
const childVar = "KEYAUTH_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		main()
		return
	}
	testenv.Main(m)
}

// program is a running keyauth without certificates.
type program struct {
	cmd     *exec.Cmd
	address string
	// warnings is the log before the service started.
	warnings string
	// accounts uses the socket; keys and anybody use the address.
	accounts, anybody keyauthv1.AccountServiceClient
	keys              keyauthv1.KeyAuthServiceClient
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{childVar + "=1"}
	return cmd
}

func start(t *testing.T, data string) *program {
	t.Helper()
	cmd := command("--data", data, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	p := &program{cmd: cmd}
	p.listen(t, bufio.NewReader(stderr))
	conn, err := rpc.Dial(p.address, rpc.ClientConfig{})
	require.NoError(t, err)
	socket, err := rpc.DialLocal(t.Context(), keyauth.SocketPath(data), rpc.ClientConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = errors.Join(conn.Close(), socket.Close()) })
	p.accounts, p.anybody = keyauthv1.NewAccountServiceClient(socket), keyauthv1.NewAccountServiceClient(conn)
	p.keys = keyauthv1.NewKeyAuthServiceClient(conn)
	return p
}

// listen reads the log up to the line with the address of the service.
func (p *program) listen(t *testing.T, log *bufio.Reader) {
	t.Helper()
	for p.address == "" {
		line, err := log.ReadString('\n')
		require.NoError(t, err, p.warnings)
		var said struct{ Address string }
		require.NoError(t, json.Unmarshal([]byte(line), &said), line)
		p.address = said.Address
		p.warnings += line
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
}

func (p *program) verify(t *testing.T, secret string) (*keyauthv1.Principal, error) {
	t.Helper()
	sum := apikey.DigestOf(secret)
	v, err := p.keys.VerifyKey(t.Context(), &keyauthv1.VerifyKeyRequest{Digest: sum[:]})
	return v.GetPrincipal(), err
}

// Without certificates every local user can reach the address. That must not make
// them the operator.
func TestAddressGrantsNoOperatorRights(t *testing.T) {
	data := t.TempDir()
	p := start(t, data)
	require.Contains(t, p.warnings, "no certificates")
	info, err := os.Stat(keyauth.SocketPath(data))
	require.NoError(t, err)
	require.Equal(t, fs.ModeSocket|0o600, info.Mode())
	made, err := p.accounts.Bootstrap(t.Context(), &keyauthv1.BootstrapRequest{})
	require.NoError(t, err)
	principal, err := p.verify(t, made.GetKey())
	require.NoError(t, err, "a proxy needs no certificate here")
	actor := &keyauthv1.Actor{AccountId: principal.GetAccountId()}

	calls := func(c keyauthv1.AccountServiceClient) []error {
		_, bootstrap := c.Bootstrap(t.Context(), &keyauthv1.BootstrapRequest{})
		_, accounts := c.ListAccounts(t.Context(), &keyauthv1.ListAccountsRequest{})
		_, create := c.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{Actor: actor, Settings: &keyauthv1.KeySettings{Name: "n"}})
		return []error{bootstrap, accounts, create}
	}
	for i, err := range calls(p.anybody) {
		require.Error(t, err, i)
	}
	for _, err := range calls(p.accounts) {
		require.NoError(t, err)
	}
	_, err = p.anybody.ResetPassword(t.Context(), &keyauthv1.ResetPasswordRequest{Email: "a@example.com"})
	require.Equal(t, apperr.AuthForbidden, apperr.CodeOf(err))
	_, err = p.anybody.Login(t.Context(), &keyauthv1.LoginRequest{Email: "a@example.com", Password: "correct horse"})
	require.NotEqual(t, apperr.AuthForbidden, apperr.CodeOf(err), "the dashboard needs no certificate here")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, p.cmd.Wait())
	require.NoFileExists(t, keyauth.SocketPath(data))
}

func TestKillLosesNoAcknowledgedWrite(t *testing.T) {
	data := t.TempDir()
	first := start(t, data)
	b, err := first.accounts.Bootstrap(t.Context(), &keyauthv1.BootstrapRequest{})
	require.NoError(t, err)
	principal, err := first.verify(t, b.GetKey())
	require.NoError(t, err)
	actor := &keyauthv1.Actor{AccountId: principal.GetAccountId()}

	created := []string{b.GetKey()}
	for err == nil {
		var made *keyauthv1.CreateKeyResponse
		made, err = first.accounts.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{
			Actor: actor, Settings: &keyauthv1.KeySettings{Name: "k"},
		})
		if err == nil {
			created = append(created, made.GetSecret())
		}
		if len(created) == 10 {
			// Kill from another goroutine, so that the next calls run during the kill.
			go func() { _ = first.cmd.Process.Kill() }()
		}
	}
	_ = first.cmd.Wait()

	second := start(t, data)
	for _, secret := range created {
		_, err := second.verify(t, secret)
		require.NoError(t, err)
	}
	again, err := second.accounts.Bootstrap(t.Context(), &keyauthv1.BootstrapRequest{})
	require.NoError(t, err)
	require.False(t, again.GetCreated())
}

// A signal ends an open stream, and the exit code is 0. pkg/rpc tests a peer that is silent meanwhile.
func TestSignalShutsDownCleanly(t *testing.T) {
	p := start(t, t.TempDir())
	stream, err := p.keys.WatchKeys(t.Context(), &keyauthv1.WatchKeysRequest{})
	require.NoError(t, err)
	_, err = stream.Recv()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, p.cmd.Wait(), "exit code 0")
}

func TestProblemIsOneLineAndExitCodeOne(t *testing.T) {
	cmd := command("--no-such-flag")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
}

func TestHelpExitsWithZero(t *testing.T) {
	out, err := command("--help").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "SIGNALBOX_KEYAUTH_STORE")
}
