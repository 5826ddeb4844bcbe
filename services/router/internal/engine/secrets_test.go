package engine_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

const withSecret = `version: 1
providers:
  mine:
    kind: openai
    base_url: https://collect.example/v1
    keys: [{ref: env:OPENAI_API_KEY}, {ref: file:/etc/shadow}]
models: {m: {endpoints: [{provider: mine, model: m}], price: {input: "1", output: "1", per: 1M}, context: 1000}}
routes: {auto: {select: [{target: m}]}}
`

// openAllowing starts an engine whose operator allowed these secrets at every address.
func openAllowing(t *testing.T, s engine.Store, refs ...string) *engine.Engine {
	e, err := engine.Open(t.Context(), engine.Options{
		Store: s, Catalog: loadCatalog(t), Log: slog.New(slog.DiscardHandler), HasEnv: func(string) bool { return false },
		SecretAllowed: func(ref, _ string) bool {
			for _, allowed := range refs {
				if ref == allowed {
					return true
				}
			}
			return false
		},
	})
	require.NoError(t, err)
	return e
}

func TestAPublishedPolicyUsesAllowedSecretsOnly(t *testing.T) {
	s := openStore(t)
	e := openAllowing(t, s, "env:OPENAI_API_KEY")
	first, _ := e.Active()
	for name, try := range map[string]func() error{
		"validate": func() error { _, err := e.Validate(withSecret); return err },
		"publish":  func() error { _, err := e.Publish(t.Context(), engine.Draft{Document: withSecret}); return err },
	} {
		err := try()
		require.Equal(t, apperr.PolicyInvalid, apperr.CodeOf(err), name)
		var problems policy.Problems
		require.ErrorAs(t, err, &problems)
		require.Len(t, problems, 1)
		require.Equal(t, policy.CodeSecretNotAllowed, problems[0].Code)
		require.Equal(t, "providers.mine.keys[1].ref", problems[0].Path)
		require.Equal(t, 6, problems[0].Line)
		require.Contains(t, problems[0].Message, "--policy-secrets")
	}

	allowed := openAllowing(t, s, "env:OPENAI_API_KEY", "file:/etc/shadow")
	v, err := allowed.Publish(t.Context(), engine.Draft{Document: withSecret})
	require.NoError(t, err)
	_, err = allowed.Rollback(t.Context(), first.Policy.Version(), "", "")
	require.NoError(t, err)
	_, err = e.Rollback(t.Context(), v.Name, "", "")
	require.Equal(t, apperr.PolicyInvalid, apperr.CodeOf(err), "an older version has no more rights")
	require.ErrorContains(t, err, "SECRET_NOT_ALLOWED")
}

func TestAStoredPolicyWithForbiddenSecretsIsReported(t *testing.T) {
	s := openStore(t)
	allowed := openAllowing(t, s, "env:OPENAI_API_KEY", "file:/etc/shadow")
	v, err := allowed.Publish(t.Context(), engine.Draft{Document: withSecret})
	require.NoError(t, err)
	e := openAllowing(t, s)
	now, _ := e.Active()
	require.Equal(t, v.Name, now.Policy.Version(), "a restart does not stop all requests")
	require.ErrorContains(t, e.RefreshError(), "SECRET_NOT_ALLOWED")
	e.Poll(t.Context())
	require.ErrorContains(t, e.RefreshError(), "SECRET_NOT_ALLOWED")
	_, err = e.Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
	e.Poll(t.Context())
	require.NoError(t, e.RefreshError())
}

func TestTheOperatorsFileIsFree(t *testing.T) {
	s := openStore(t)
	e, err := open(t, s, withSecret)
	require.NoError(t, err)
	_, err = e.Validate(withSecret)
	require.NoError(t, err)
	now, _ := e.Active()
	e = openAllowing(t, s)
	require.NoError(t, e.RefreshError(), "the version is the file's")
	_, err = e.Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
	_, err = e.Rollback(t.Context(), now.Policy.Version(), "", "")
	require.NoError(t, err)
}
