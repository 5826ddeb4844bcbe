package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

func TestNewPolicyWakesWatchersAndKeepsTheCountsOfWhatStays(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	compile := func(document string) Active {
		p, err := policy.Compile([]byte(document), cat)
		require.NoError(t, err)
		return Active{Policy: p}
	}
	e := &Engine{catalog: cat, health: newHealth()}
	e.setActive(compile("version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}"))
	_, changed := e.Active()
	small := decide.Candidate{Model: "sandbox-small", Provider: "sandbox"}
	e.Report(Outcome{Candidate: small})
	select {
	case <-changed:
		require.Fail(t, "nothing changed yet")
	default:
	}
	next := compile("version: 1\nmodels: {sandbox-small: {}, sandbox-medium: {}}")
	e.setActive(next)
	<-changed
	a, _ := e.Active()
	require.Equal(t, next, a)
	_, all := e.Status()
	require.Len(t, all, 2)
	require.Equal(t, CandidateStatus{Candidate: small, Succeeded: 1}, all[1])
	require.Len(t, e.health.candidates, 2)
}
