package browser

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
)

// scene describes the tested Signalbox: an account with requests of every kind
// and an empty account.
type scene struct {
	Base  string `json:"base"`
	Full  login  `json:"full"`
	Empty login  `json:"empty"`
	// Key is an API key of the full account.
	Key string `json:"key"`
	// Requests are the ids of its requests, oldest first.
	Requests []string `json:"requests"`
	// Claim is the claim link of a second, unclaimed Signalbox.
	Claim string `json:"claim"`
}

type login struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// hostile is a message that pages must not render as HTML.
const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)> =1+1 \u202eevil\u202c`

// traffic has one request body of every kind that the pages show.
var traffic = []string{
	`{"model":"auto","messages":[{"role":"user","content":"Say hello"}]}`,
	`{"model":"auto","stream":true,"messages":[{"role":"user","content":"Say hello, slowly"}]}`,
	`{"model":"auto","messages":[{"role":"user","content":"Fall back"}],"x_sandbox":{"models":{"sandbox-small":{"status":503}}}}`,
	`{"model":"sandbox-large","messages":[{"role":"user","content":"` + hostile + `"}]}`,
	`{"model":"sandbox-small","messages":[{"role":"user","content":"Fail"}],"x_sandbox":{"status":500}}`,
	`{"model":"no-such-model","messages":[{"role":"user","content":"hi"}]}`,
	`{"model":"auto","messages":[{"role":"user","content":"Use a tool"}],"tools":[{"type":"function","function":{"name":"lookup","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}}]}`,
}

func newScene(t *testing.T) scene {
	box := e2e.Start(t)
	s := scene{Base: box.Base, Key: box.Key, Full: login{e2e.OperatorEmail, e2e.OperatorPassword}, Empty: login{"empty@example.com", "correct horse battery"}, Claim: e2e.Start(t).Claim}
	operator := box.SignInOperator()
	status, body := box.NewVisitor().CallWithPassword("/register", map[string]string{"email": s.Empty.Email, "password": s.Empty.Password}, nil)
	require.Equal(t, http.StatusOK, status, "%s", body)
	for range 3 {
		for _, text := range traffic {
			res, err := box.Post(t.Context(), "/chat/completions", text)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			s.Requests = append(s.Requests, res.Header.Get("X-Request-Id"))
		}
	}
	for _, id := range s.Requests {
		operator.AwaitRecord(id)
	}
	return s
}
