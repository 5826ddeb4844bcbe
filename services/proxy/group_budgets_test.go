package proxy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// group gives the wire a key with the prepaid budgets of some selectors, such as "user *". The id
// of a budget is its kind.
func (w *wire) group(settings *keyauthv1.KeySettings, selectors ...string) {
	w.key = w.keyauth.addTo(w.t.Name(), nil, settings)
	w.keyauth.mu.Lock()
	defer w.keyauth.mu.Unlock()
	p := w.keyauth.known[apikey.DigestOf(w.key)]
	for _, one := range selectors {
		kind, value, _ := strings.Cut(one, " ")
		p.Budgets = append(p.Budgets, &keyauthv1.Budget{
			Id: kind, Name: one, Kind: kind, Value: value, Amounts: &keyauthv1.BudgetAmounts{NanoUsdTotal: budget},
		})
	}
}

func TestTheRecordNamesTheGroupBudgets(t *testing.T) {
	w := newWire(t)
	for name, tc := range map[string]struct {
		settings  *keyauthv1.KeySettings
		selectors []string
		headers   []string
		user      string
		budgets   []string
	}{
		"each user":          {&keyauthv1.KeySettings{}, []string{"user *", "tag eu"}, []string{"X-Signalbox-User: ada"}, "ada", []string{"user/ada", "tag"}},
		"no user":            {&keyauthv1.KeySettings{}, []string{"user *"}, nil, "", []string{"user"}},
		"another user":       {&keyauthv1.KeySettings{}, []string{"user ben"}, []string{"X-Signalbox-User: ada"}, "ada", nil},
		"pinned user":        {&keyauthv1.KeySettings{User: "ben"}, []string{"user *"}, []string{"X-Signalbox-User: ada"}, "ben", []string{"user/ben"}},
		"pinned agent":       {&keyauthv1.KeySettings{Agent: "ci-bot"}, []string{"agent ci-bot"}, []string{"User-Agent: codex_exec/1"}, "", []string{"agent"}},
		"agent":              {&keyauthv1.KeySettings{}, []string{"agent *"}, []string{"User-Agent: codex_exec/1"}, "", []string{"agent/codex"}},
		"a user that is not": {&keyauthv1.KeySettings{Capture: keyauthv1.Capture_CAPTURE_NONE}, []string{"user ada"}, []string{"X-Signalbox-User: ada"}, "sha256-", []string{"user"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			w.group(tc.settings, tc.selectors...)
			for i, one := range tc.budgets {
				if user, ok := strings.CutPrefix(one, "user/"); ok {
					tc.budgets[i] = "user/" + session.Hash(t.Name(), user)
				}
			}
			w.up.Script(using(500, 0))
			a := w.ask(chatPath, plain(`,"max_tokens":1`), tc.headers...)
			require.Equal(t, http.StatusOK, a.status, a.body)
			require.Equal(t, tc.budgets, a.record.GetBudgets())
			require.True(t, strings.HasPrefix(a.record.GetUser(), tc.user) && (tc.user != "" || a.record.GetUser() == ""), a.record.GetUser())
			if tc.settings.GetAgent() != "" {
				require.Equal(t, tc.settings.GetAgent(), a.record.GetAgent())
			}
			w.up.Script(using(1000, 0))
			a = w.ask(chatPath, plain(`,"max_tokens":1`), tc.headers...)
			require.Equal(t, http.StatusOK, a.status, a.body)
			if len(tc.budgets) == 0 {
				return
			}
			for path, body := range map[string]string{chatPath: stream(`,"max_tokens":1`), embedPath: `{"model":"embed","input":"a"}`} {
				a = w.ask(path, body, tc.headers...)
				a.limited(t, http.StatusPaymentRequired, "BUDGET_EXCEEDED", "budget", "nano_usd_total", budget)
				require.Contains(t, a.body, `"budget":"`+tc.selectors[0]+`"`)
				require.Contains(t, a.body, `"window":"total"`)
				require.NotContains(t, a.body, "reset_at")
				require.Empty(t, a.header.Get("Retry-After"), "a prepaid amount does not reset")
			}
		})
	}
}

// A user has one budget, whatever of the requests is stored.
func TestTheCaptureDoesNotChangeTheBudgetOfAUser(t *testing.T) {
	w := newWire(t)
	for name, settings := range map[string]*keyauthv1.KeySettings{"named": {}, "pinned": {User: "ada"}} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			w.group(settings, "user *")
			for _, capture := range []string{"full", "redacted", "none"} {
				w.up.Script(using(500, 0))
				a := w.ask(chatPath, plain(`,"max_tokens":1`), "X-Signalbox-User: ada", "X-Signalbox-Capture: "+capture)
				require.Equal(t, http.StatusOK, a.status, a.body)
				require.Equal(t, []string{"user/" + session.Hash(t.Name(), "ada")}, a.record.GetBudgets(), capture)
			}
		})
	}
}

func TestStoredSpendOfAGroupBudgetCounts(t *testing.T) {
	w := newWire(t)
	w.group(&keyauthv1.KeySettings{}, "user *")
	w.keyauth.spend(&keyauthv1.Spent{AccountId: t.Name(), Budget: "user/" + session.Hash(t.Name(), "ada"), Period: "total", NanoUsd: budget})
	require.Eventually(t, func() bool {
		w.up.Script(using(1, 0))
		return w.ask(chatPath, plain(`,"max_tokens":1`), "X-Signalbox-User: ada").status == http.StatusPaymentRequired
	}, 10*time.Second, 10*time.Millisecond)
	w.up.Script(using(1, 0))
	require.Equal(t, http.StatusOK, w.ask(chatPath, plain(`,"max_tokens":1`), "X-Signalbox-User: ben").status)
}
