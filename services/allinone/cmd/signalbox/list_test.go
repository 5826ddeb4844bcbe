package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnAccountByItsID: however it is written, and also where nobody can be
// asked whether there is one.
func TestAnAccountByItsID(t *testing.T) {
	data, base, key := gateway(t)
	ask(t, base, key, "auto")
	var all items[accountView]
	out, _ := run(t, "accounts", "list", "--json", "--data", data)
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	id := all.Items[0].ID
	require.Eventually(t, func() bool {
		out, err := do(t, "savings", "--account", id, "--data", data)
		return err == nil && regexp.MustCompile(`(?m)^Requests +1$`).MatchString(out)
	}, 20*time.Second, 20*time.Millisecond)
	for _, ref := range []string{strings.ToUpper(id), "{" + id + "}", "urn:uuid:" + id, strings.ReplaceAll(id, "-", "")} {
		out, _ = run(t, "savings", "--account", ref, "--data", data)
		require.Regexp(t, `(?m)^Requests +1$`, out, ref)
		out, errs := run(t, "savings", "--account", ref, "--data", data, "--server", "127.0.0.1:1")
		require.Regexp(t, `(?m)^Requests +1$`, out, ref)
		require.Contains(t, errs, "Nobody can be asked whether there is such an account")
	}
	_, err := do(t, "savings", "--account", "operator", "--data", data, "--server", "127.0.0.1:1")
	require.ErrorContains(t, err, "cannot be reached", "of a name the id is not known")
}

// TestAListGoesOnToItsEnd: a search that takes long answers with less than was
// asked for, and with where it goes on.
func TestAListGoesOnToItsEnd(t *testing.T) {
	var asked []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked = append(asked, q.Get("cursor")+" "+q.Get("limit"))
		next := map[string]string{"": `[],"next_cursor":"x"`, "x": `[{"id":"1"},{"id":"2"}],"next_cursor":"y"`, "y": `[{"id":"3"}],"next_cursor":null`}
		_, _ = io.WriteString(w, `{"items":`+next[q.Get("cursor")]+`}`)
	}))
	defer web.Close()
	b := newBooks(call{err: io.Discard})
	b.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", web.Listener.Addr().String())
	}}}
	defer b.client.CloseIdleConnections()
	all, err := b.list(t.Context(), 5, "")
	require.NoError(t, err)
	require.Len(t, all.Items, 3)
	require.Nil(t, all.Next)
	require.Equal(t, []string{" 5", "x 5", "y 3"}, asked)
	some, err := b.list(t.Context(), 2, "")
	require.NoError(t, err)
	require.Len(t, some.Items, 2)
	require.Equal(t, "y", *some.Next)
}
