package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckRecords(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/claim", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte(`"token":"once"`)) {
			http.Error(w, "wrong token", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s", Path: "/"})
	})
	mux.HandleFunc("GET /api/v1/impact", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("session"); err != nil {
			http.Error(w, "no session", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"requests":3,"groups":[{"group":"fallback","requests":1},{"group":"expected","requests":2}]}`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	var out bytes.Buffer
	b := &bench{out: &out}
	box := &signalbox{api: server.Listener.Addr().String(), signIn: "/claim", secret: map[string]string{"token": "once"}}
	require.NoError(t, b.checkRecords(t.Context(), nil))
	box.answered = 3
	require.NoError(t, b.checkRecords(t.Context(), box))
	require.Empty(t, b.problems)
	require.Equal(t, "records: answered 3, stored 3 (expected 2, fallback 1)\n", out.String())
	box.answered = 4
	require.NoError(t, b.checkRecords(t.Context(), box))
	require.Equal(t, []string{"answered 4, stored 3"}, b.problems)
	box.session, box.secret = nil, map[string]string{"token": "taken"}
	require.ErrorContains(t, b.checkRecords(t.Context(), box), "403 Forbidden: wrong token")
}

func TestParseGreeting(t *testing.T) {
	s := &signalbox{}
	for _, line := range []string{
		"Signalbox is running.", "  Base URL   http://127.0.0.1:4711/proxy/v1",
		"  Claim      http://127.0.0.1:4711/claim?token=once   (works once)", "  Key        sbx_live_abc   (shown only now)",
	} {
		require.False(t, s.parseGreeting(line))
	}
	require.True(t, s.parseGreeting("  curl -i http://127.0.0.1:4711/proxy/v1/chat/completions"))
	require.Equal(t, []string{"127.0.0.1:4711", "127.0.0.1:4711", "sbx_live_abc"}, []string{s.edge, s.api, s.key})
	require.Equal(t, "/claim", s.signIn)
	require.Equal(t, "once", s.secret["token"])
}

func TestParseStartupLine(t *testing.T) {
	s := &signalbox{}
	require.False(t, s.parseStartupLine("starting"))
	require.True(t, s.parseStartupLine(`{"base_url":"http://127.0.0.1:1","dashboard_url":"http://127.0.0.1:2","proxies":["http://127.0.0.1:3"],`+
		`"pids":{"proxy-1":11,"router":12},"key":"sbx_live_abc","operator":{"email":"o@example.com","password":"p"}}`))
	require.Equal(t, []string{"127.0.0.1:3", "127.0.0.1:2", "sbx_live_abc"}, []string{s.edge, s.api, s.key})
	require.Equal(t, 11, s.proxy)
	require.Equal(t, map[string]int{"router": 12}, s.others, "the proxy is not among its helpers")
	require.Equal(t, "/login", s.signIn)
	require.Equal(t, map[string]string{"email": "o@example.com", "password": "p"}, s.secret)
}

func TestReadProcessEnv(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "cat")
	cmd.Env = []string{"SIGNALBOX_ADMIN_X=no", "SIGNALBOX_ADMIN=127.0.0.1:9"}
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	}()
	// The environment is readable once the process runs its program, which is
	// certain when it responds.
	_, err = io.WriteString(stdin, "x")
	require.NoError(t, err)
	_, err = stdout.Read(make([]byte, 1))
	require.NoError(t, err)
	got, err := readProcessEnv(cmd.Process.Pid, "SIGNALBOX_ADMIN")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:9", got)
	_, err = readProcessEnv(os.Getpid(), "SIGNALBOX_NOWHERE")
	require.Error(t, err)
}
