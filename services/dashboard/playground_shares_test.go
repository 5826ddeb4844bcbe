package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASharedRunStaysInItsAccount(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	a := b.api("POST", "/playground/shares", `{"endpoint":"messages","models":["auto","small"],"body":{"messages":[{"role":"user","content":"hi"}],"n":1.50}}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	id := a.json(t)["id"].(string)
	got := b.api("GET", "/playground/shares/"+id, "")
	require.Equal(t, a.body, got.body)
	shared := got.json(t)
	require.Equal(t, "a@example.com", shared["author"])
	require.Equal(t, "messages", shared["endpoint"])
	require.Equal(t, []any{"auto", "small"}, shared["models"])
	require.Contains(t, got.body, `"n":1.50`, "numbers stay as they were written")

	other, _ := h.registerUser("other@example.com")
	other.api("GET", "/playground/shares/"+id, "").requireError(t, 404, "NOT_FOUND")
	for body, param := range map[string]string{
		`{"body":{}}`: "models", `{"models":["a"]}`: "body", `{"models":["a"],"body":{},"endpoint":"x"}`: "endpoint", `{"models":["a","b","c","d","e"],"body":{}}`: "models",
	} {
		require.Equal(t, param, b.api("POST", "/playground/shares", body).requireError(t, 400, "INVALID_REQUEST")["param"], body)
	}
	big := `{"models":["a"],"body":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`
	b.api("POST", "/playground/shares", big).requireError(t, 413, "REQUEST_TOO_LARGE")
}
