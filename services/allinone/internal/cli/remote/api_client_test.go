package remote

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
)

func TestServerAndTokenGoTogether(t *testing.T) {
	for _, c := range []struct{ server, token, problem string }{
		{"https://signalbox.example.com/", "t", ""},
		{"http://127.0.0.1:8080", "t", ""},
		{"http://[::1]:8080", "t", ""},
		{"http://localhost", "t", ""},
		{"keyauth:9000", "", ""},
		{"", "", ""},
		{"http://signalbox.example.com", "t", "must start with https://"},
		{"http://127.0.0.1.example.com", "t", "must start with https://"},
		{"http://10.0.0.1", "t", "must start with https://"},
		{"https://signalbox.example.com", "", "needs --token"},
		{"keyauth:9000", "t", "need --server with the URL"},
		{"", "t", "need --server with the URL"},
	} {
		o := Command{server: c.server, token: config.Secret(c.token)}
		err := o.checkToken()
		if c.problem == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.ErrorContains(t, err, c.problem, "%+v", c)
	}
}
