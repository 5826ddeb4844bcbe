package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

const twoModels = "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes: {auto: {select: [{strategy: ordered, candidates: [sandbox-small, sandbox-large]}]}}\n"

func drain(provider, model string) engine.Drain {
	return engine.Drain{Drain: decide.Drain{Provider: provider, Model: model}, Reason: "maintenance", Author: "op@example.com"}
}

// A drain applies at once, in other routers after a poll, and after a restart. It works with a
// policy file too.
func TestADrainAppliesEverywhereAndSurvivesARestart(t *testing.T) {
	for _, document := range []string{"", twoModels} {
		s := openStore(t)
		a, err := open(t, s, document)
		require.NoError(t, err)
		if document == "" {
			_, err = a.Publish(t.Context(), engine.Draft{Document: twoModels})
			require.NoError(t, err)
		}
		b, err := open(t, s, document)
		require.NoError(t, err)
		_, changed := b.Active()
		_, err = a.Drain(t.Context(), drain("", "sandbox-small"))
		require.NoError(t, err)
		b.Poll(t.Context())
		<-changed
		c, err := open(t, s, document)
		require.NoError(t, err)
		for _, e := range []*engine.Engine{a, b, c} {
			model, _ := modelOf(t, e, "")
			require.Equal(t, "sandbox-large", model)
			require.Equal(t, "maintenance", e.Drains().All[0].Reason)
			require.Equal(t, "op@example.com", e.Drains().All[0].Author)
		}
		require.NoError(t, b.Resume(t.Context(), drain("", "sandbox-small")))
		a.Poll(t.Context())
		for _, e := range []*engine.Engine{a, b} {
			model, _ := modelOf(t, e, "")
			require.Equal(t, "sandbox-small", model)
		}
	}
}

func TestADrainNamesWhatThePolicyHas(t *testing.T) {
	e, err := open(t, openStore(t), twoModels)
	require.NoError(t, err)
	code := func(d engine.Drain) apperr.Code {
		_, err := e.Drain(t.Context(), d)
		return apperr.CodeOf(err)
	}
	require.Equal(t, apperr.InvalidRequest, code(drain("", "")))
	require.Equal(t, apperr.NotFound, code(drain("nowhere", "")))
	require.Equal(t, apperr.NotFound, code(drain("nowhere", "sandbox-small")))
	require.Equal(t, apperr.NotFound, code(drain("", "unknown")))
	silent := drain("sandbox", "")
	silent.Reason = ""
	require.Equal(t, apperr.InvalidRequest, code(silent))
	require.Empty(t, e.Drains().All)
	require.Equal(t, apperr.NotFound, apperr.CodeOf(e.Resume(t.Context(), drain("sandbox", ""))), "it is not drained")

	_, err = e.Drain(t.Context(), drain("sandbox", ""))
	require.NoError(t, err)
	_, err = e.Decide(decide.Question{Kind: catalog.Chat, Model: "sandbox-large"}, "")
	require.Equal(t, apperr.NoRouteAvailable, apperr.CodeOf(err))
}

func TestCredentialsOfSilentProxiesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine.Engine{}
		name := engine.CredentialStatus{Provider: "openai", Name: "env:OPENAI_API_KEY"}
		report := func(proxy, state string) {
			e.ReportCredentials(proxy, []engine.Credential{{Provider: name.Provider, Name: name.Name, State: state}})
		}
		report("a", engine.CredentialMissing)
		<-time.After(20 * time.Second)
		report("b", engine.CredentialPresent)
		report("c", engine.CredentialRejected)
		name.Present, name.Missing, name.Rejected = 1, 1, 1
		require.Equal(t, []engine.CredentialStatus{name}, e.Credentials())
		report("b", engine.CredentialRejected)
		<-time.After(20 * time.Second)
		name.Present, name.Missing, name.Rejected = 0, 0, 2
		require.Equal(t, []engine.CredentialStatus{name}, e.Credentials())
	})
}
