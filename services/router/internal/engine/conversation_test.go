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

const loyal = `version: 1
models: {sandbox-small: {}, sandbox-large: {}}
routes:
  auto:
    select:
      - {name: hard, when: {feature.tools: {gt: 0}}, strategy: ordered, candidates: [sandbox-large, sandbox-small]}
      - {candidates: [sandbox-small, sandbox-large]}
    affinity: {ttl: 10m}
`

// A conversation stays with its candidate for the TTL and leaves one that fails.
func TestAConversationStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := open(t, openStore(t), loyal)
		require.NoError(t, err)
		ask := func(account string, conversation uint64, tools int64) (string, string) {
			q := decide.Question{Kind: catalog.Chat, Model: "auto", Features: decide.NamedValuesFromMap(map[string]int64{"tools": tools}), Caller: decide.Caller{AccountID: account}}
			d, err := e.DecideConversation(q, "", conversation)
			require.NoError(t, err)
			return d.Plan[0].Model, d.Reason.Code
		}
		is := func(model, reason string) func(string, string) {
			return func(m, r string) {
				t.Helper()
				require.Equal(t, model+" "+reason, m+" "+r)
			}
		}
		small, large, stays := is("sandbox-small", "FIRST_ELIGIBLE"), is("sandbox-large", "FIRST_ELIGIBLE"), is("sandbox-large", "STICKY")
		large(ask("a", 1, 1))
		stays(ask("a", 1, 0))
		small(ask("a", 2, 0))
		small(ask("b", 1, 0))
		small(ask("a", 0, 0))
		<-time.After(9 * time.Minute)
		stays(ask("a", 1, 0))
		<-time.After(9 * time.Minute)
		stays(ask("a", 1, 0))
		for range 20 {
			e.Report(engine.Outcome{Candidate: decide.Candidate{Model: "sandbox-large", Provider: "sandbox"}, Code: apperr.ProviderUpstream})
		}
		small(ask("a", 1, 0))
		<-time.After(11 * time.Minute)
		small(ask("a", 1, 0))
	})
}
