package dashboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

func TestRequestPageEmbedsFirstRows(t *testing.T) {
	h := newTestEnv(t, "")
	mine, account := h.registerUser("a@example.com")
	other, _ := h.registerUser("b@example.com")
	r := newRecord(account, 0, func(r *recordv1.RequestRecord) { r.KeyName = "</script><b>" })
	h.publish(r)
	row := `"id":"` + idOf(r) + `"`
	for _, page := range []string{"/requests?range=8000d", "/requests?range=2000-01-01T00:00:00Z..2100-01-01T00:00:00Z&sel=x"} {
		body := mine.get(page).body
		require.Contains(t, body, row, page)
		require.NotContains(t, body, "</script><b>", page)
		require.NotContains(t, other.get(page).body, idOf(r), page)
	}
	for _, page := range []string{
		"/keys?range=8000d", "/requests/" + idOf(r), "/requests?range=8000d&q=model:x", "/requests?range=d", "/requests?range=99999999d",
		"/requests?range=2100-01-01T00:00:00Z..2000-01-01T00:00:00Z", "/requests?range=..", "/requests?range=%00",
	} {
		a := mine.get(page)
		require.Equal(t, 200, a.status, page)
		require.NotContains(t, a.body, row, page)
	}
}

func TestPageShowsBaseURLForClients(t *testing.T) {
	for _, tt := range []struct{ public, edge, want string }{
		{"", "", `"base_url":""`},
		{"https://box.example", "", `"base_url":"https://box.example/proxy/v1"`},
		{"https://box.example", "http://edge.example:8080/", `"base_url":"http://edge.example:8080/proxy/v1"`},
	} {
		h := newTestEnvWith(t, dashboard.Config{PublicURL: tt.public, EdgeURL: tt.edge})
		b, _ := h.registerUser("a@example.com")
		require.Contains(t, b.get("/start").body, tt.want)
	}
	near, err := dashboard.LoadConfig(nil, nil)
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:8080", near.EdgeURL)
	balanced, err := dashboard.LoadConfig([]string{"--public-url", "https://box.example"}, nil)
	require.NoError(t, err)
	require.Empty(t, balanced.EdgeURL)
}
