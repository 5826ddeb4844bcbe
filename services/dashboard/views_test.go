package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSavedViewsStayInTheirAccount(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	a := b.api("POST", "/views", `{"name":" Slow errors ","query":"q=has%3Aerror&sort=latency","shared":true}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	view := a.json(t)
	require.Equal(t, "Slow errors", view["name"])
	require.Equal(t, "a@example.com", view["author"])
	require.Equal(t, true, view["own"])
	require.Contains(t, b.api("GET", "/views", "").body, `"query":"q=has%3Aerror\u0026sort=latency"`)

	other, _ := h.registerUser("other@example.com")
	require.Empty(t, other.api("GET", "/views", "").json(t)["items"])
	id := view["id"].(string)
	other.api("DELETE", "/views/"+id, "").requireError(t, 404, "NOT_FOUND")
	for body, param := range map[string]string{
		`{"name":" ","query":""}`: "name", `{"name":"` + strings.Repeat("x", 61) + `","query":""}`: "name", `{"name":"a\nb","query":""}`: "name",
		`{"name":"x","query":"%zz"}`: "query", `{"name":"x","query":"q=` + strings.Repeat("x", 2000) + `"}`: "query",
	} {
		require.Equal(t, param, b.api("POST", "/views", body).requireError(t, 400, "INVALID_REQUEST")["param"], body)
	}
	require.Equal(t, http.StatusNoContent, b.api("DELETE", "/views/"+id, "").status)
	b.api("DELETE", "/views/"+id, "").requireError(t, 404, "NOT_FOUND")
}
