package compare

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
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
	box := &rig.Box{API: server.Listener.Addr().String(), SignIn: "/claim", Secret: map[string]string{"token": "once"}}
	require.NoError(t, b.checkRecords(t.Context(), nil))
	box.Answered = 3
	require.NoError(t, b.checkRecords(t.Context(), box))
	require.Empty(t, b.problems)
	require.Equal(t, "records: answered 3, stored 3 (expected 2, fallback 1)\n", out.String())
	box.Answered = 4
	require.NoError(t, b.checkRecords(t.Context(), box))
	require.Equal(t, []string{"answered 4, stored 3"}, b.problems)
	box = &rig.Box{API: box.API, SignIn: "/claim", Secret: map[string]string{"token": "taken"}}
	require.ErrorContains(t, b.checkRecords(t.Context(), box), "403 Forbidden: wrong token")
}
