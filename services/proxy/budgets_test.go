package proxy_test

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// A token of the wire's model costs 1000 nano-USD in and 2000 out. The estimated cost of a request
// without an output limit fits the budget once.
const budget = 1_500_000

func budgetOf(name string, n int64) *keyauthv1.Limits {
	if name == "nano_usd_per_day" {
		return &keyauthv1.Limits{NanoUsdPerDay: n}
	}
	return &keyauthv1.Limits{NanoUsdPerMonth: n}
}

// spent checks that the budget is exhausted.
func (w *wire) spent(scope, name string, body string) {
	w.t.Helper()
	path := chatPath
	if strings.Contains(body, `"input"`) {
		path = embedPath
	}
	a := w.ask(path, body)
	a.limited(w.t, http.StatusPaymentRequired, "BUDGET_EXCEEDED", scope, name, budget)
	require.Equal(w.t, "false", a.header.Get("X-Should-Retry"))
	a.waits(w.t, 31*24*time.Hour)
	require.Regexp(w.t, `"reset_at":"20[0-9]{2}-[0-9]{2}-[0-9]{2}T00:00:00Z"`, a.body)
	require.Regexp(w.t, `"spent":[1-9][0-9]+`, a.body)
}

// W-50
func TestABudgetThatIsUsedUp(t *testing.T) {
	w := newWire(t)
	for _, scope := range scopes {
		for _, name := range []string{"nano_usd_per_day", "nano_usd_per_month"} {
			t.Run(scope+" "+name, func(t *testing.T) {
				w := w.in(t)
				w.limit(scope, budgetOf(name, budget))
				w.up.Script(using(500, 0))
				a := w.ask(chatPath, plain(""))
				require.Equal(t, http.StatusOK, a.status, a.body)
				require.Zero(t, a.record.GetDecisionInputs().GetBudgetUsed())
				require.NotNil(t, a.record.GetDecisionInputs().BudgetUsed, "it had a budget")
				w.up.Script(using(1000, 0))
				a = w.ask(chatPath, plain(`,"max_tokens":1`))
				require.Equal(t, http.StatusOK, a.status, a.body)
				require.EqualValues(t, 333, a.record.GetDecisionInputs().GetBudgetUsed())
				w.spent(scope, name, plain(`,"max_tokens":1`))
				w.spent(scope, name, stream(`,"max_tokens":1`))
				w.spent(scope, name, `{"model":"embed","input":"a"}`)
			})
		}
	}
}

func TestARequestThatABudgetHasNotEnoughFor(t *testing.T) {
	w := newWire(t)
	w.limit("key", budgetOf("nano_usd_per_day", budget))
	a := w.ask(chatPath, plain(`,"max_tokens":1000`))
	a.limited(t, http.StatusPaymentRequired, "BUDGET_EXCEEDED", "key", "nano_usd_per_day", budget)
	w.up.Script(using(1, 1))
	require.Equal(t, http.StatusOK, w.ask(chatPath, plain(`,"max_tokens":100`)).status, "a smaller one fits")
}

func TestBehaviour07BudgetsAreKeptOnEveryPath(t *testing.T) {
	w := newWire(t)
	const name = "nano_usd_per_day"
	long := strings.Repeat("word ", 1000)
	for what, do := range map[string]func(*wire){
		"stream": func(w *wire) {
			w.up.Script(scripted.Events(chunk(`{"role":"assistant","content":"one"}`, "null"), stop,
				`{"choices":[],"usage":{"prompt_tokens":1500,"completion_tokens":1,"total_tokens":1501}}`, "[DONE]"))
			require.Equal(w.t, recordv1.Outcome_OUTCOME_OK, w.ask(chatPath, stream("")).record.GetOutcome())
		},
		"broken stream": func(w *wire) {
			w.up.Script(scripted.Events(chunk(`{"role":"assistant","content":"`+long+`"}`, "null")))
			require.Equal(w.t, recordv1.Outcome_OUTCOME_INTERRUPTED, w.ask(chatPath, stream("")).record.GetOutcome())
		},
		"client that left": func(w *wire) {
			w.up.Script(scripted.Events(chunk(`{"role":"assistant","content":"`+long+`"}`, "null"), stop).First(1, scripted.Hang))
			l := dial(w.t, w.server.Listener.Addr())
			body := stream("")
			l.say(w.head("Content-Length: "+strconv.Itoa(len(body))) + body)
			res, err := http.ReadResponse(l.in, nil)
			require.NoError(w.t, err)
			_, err = bufio.NewReader(res.Body).ReadString('\n')
			require.NoError(w.t, err)
			require.NoError(w.t, l.Close())
			require.Equal(w.t, recordv1.Outcome_OUTCOME_CLIENT_CLOSED, w.record().GetOutcome())
		},
		"embeddings": func(w *wire) {
			w.up.Script(scripted.JSON(200, `{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":15000,"total_tokens":15000}}`))
			require.Equal(w.t, http.StatusOK, w.ask(embedPath, `{"model":"embed","input":"a"}`).status)
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := w.in(t)
			w.limit("key", budgetOf(name, budget))
			do(w)
			w.spent("key", name, plain(`,"max_tokens":1`))
		})
	}
}

const twoPlaces = `version: 1
providers:
  first: {kind: openai, base_url: FIRST/v1, allow_private: true}
  second: {kind: openai, base_url: SECOND/v1, allow_private: true}
models:
  small:
    endpoints: [{provider: first, model: s}, {provider: second, model: s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 100000
defaults: {baseline: small, retries: {max: 1}}
routes:
  auto:
    select:
      - {when: {budget.used_percent: {gte: 50}}, deny: "half is used", name: half}
      - {candidates: [small]}
`

func twoWires(t *testing.T) (*wire, *scriptedtest.Upstream) {
	t.Helper()
	first, second := scriptedtest.New(t, scriptedtest.OpenAI), scriptedtest.New(t, scriptedtest.OpenAI)
	doc := strings.NewReplacer("FIRST", first.URL, "SECOND", second.URL).Replace(twoPlaces)
	return &wire{rig: newRigOf(t, doc), up: first}, second
}

func TestAFallbackCountsAgainstABudget(t *testing.T) {
	w, second := twoWires(t)
	w.limit("account", budgetOf("nano_usd_per_day", budget))
	w.up.Script(scripted.JSON(500, `{}`))
	second.Script(using(1500, 0))
	a := w.ask(chatPath, plain(""))
	require.Equal(t, recordv1.Route_ROUTE_FALLBACK, a.record.GetRoute())
	require.Len(t, a.record.GetAttempts(), 2)
	w.spent("account", "nano_usd_per_day", plain(`,"max_tokens":1`))
}

func TestABudgetSteersRoutes(t *testing.T) {
	w, _ := twoWires(t)
	w.limit("key", budgetOf("nano_usd_per_day", budget))
	auto := strings.Replace(plain(""), `"small"`, `"auto"`, 1)
	w.up.Script(using(750, 0))
	require.Equal(t, http.StatusOK, w.ask(chatPath, auto).status)
	a := w.ask(chatPath, auto)
	a.refused(t, http.StatusForbidden, "POLICY_DENIED")
	require.EqualValues(t, 500, a.record.GetDecisionInputs().GetBudgetUsed())
}

// The spending in the ledger counts, whichever proxy caused it.
func TestStoredSpendCountsAgainstABudget(t *testing.T) {
	w := newWire(t)
	for _, scope := range scopes {
		t.Run(scope, func(t *testing.T) {
			w := w.in(t)
			w.limit(scope, budgetOf("nano_usd_per_month", budget))
			told := &keyauthv1.Spent{AccountId: t.Name(), Day: time.Now().UTC().Format(time.DateOnly), DayNanoUsd: 1, MonthNanoUsd: budget}
			if scope == "key" {
				told.KeyId = keyID(w.key)
			}
			w.keyauth.spend(told)
			w.up.Script(using(1, 1))
			require.Eventually(t, func() bool {
				return w.ask(chatPath, plain(`,"max_tokens":1`)).status == http.StatusPaymentRequired
			}, patience, time.Millisecond)
			w.spent(scope, "nano_usd_per_month", plain(`,"max_tokens":1`))
		})
	}
}

// A restarted proxy still has the spending.
func TestABudgetOutlivesARestart(t *testing.T) {
	w := newWire(t)
	w.limit("key", budgetOf("nano_usd_per_day", budget))
	w.up.Script(using(1500, 0))
	require.Equal(t, http.StatusOK, w.ask(chatPath, plain("")).status)
	w.stop()
	w.start()
	w.spent("key", "nano_usd_per_day", plain(`,"max_tokens":1`))
}
