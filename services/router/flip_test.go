package router_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

// flipTexts holds texts of several subjects.
var flipTexts = []string{
	legal, physics, "Explain which enzymes break down starch in the cell, and where the protein is made.",
	"Which of these reactions of an acid and a base gives a salt and water, and what is the molar mass of the salt?",
	"Why did the emperor sign the treaty after the war of 1866?", "Write a function that reverses a linked list in Go.",
	"What does demand do when the price of a substitute rises and the elasticity is high?", "Tell me about bees",
}

// flipPolicy returns a policy with a route per aim, so that decisions near every limit are
// seen.
func flipPolicy(t *testing.T) (path string, routes []string) {
	document := "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\ndefaults: {baseline: sandbox-large}\nroutes:\n"
	for aim := 60; aim <= 100; aim += 2 {
		routes = append(routes, fmt.Sprintf("aim%d", aim))
		document += fmt.Sprintf("  aim%d: {select: [{aim: {quality: %.2f}, candidates: [sandbox-small, sandbox-large]}]}\n", aim, float64(aim)/100)
	}
	path = filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(document), 0o600))
	return path, routes
}

// flipWorld is a router with honest accounts, and with a liar if wanted.
type flipWorld struct {
	c      clients
	random *rand.Rand
	now    atomic.Int64
	known  map[string]*routerv1.Decision
	sent   int
}

// report reports outcomes of an account. A flipped account reports the opposite.
func (w *flipWorld) report(t *testing.T, account string, n int, flipped bool) {
	var all []*routerv1.Evidence
	for range n {
		w.sent++
		at := w.random.IntN(len(flipTexts))
		model := []string{"sandbox-small", "sandbox-large"}[w.random.IntN(2)]
		d := w.known[flipTexts[at]]
		// The small model is worse than predicted at every other subject.
		good := float64(qualityOf(d, model)) / 1000
		if model == "sandbox-small" && at%2 == 0 {
			good -= 0.35
		}
		if flipped {
			good = 1 - good
		}
		e := &routerv1.Evidence{
			Id: fmt.Sprint(w.sent), AccountId: account, Model: model, Source: "feedback", Weight: 1000, Time: timestamppb.Now(),
			Features: append(slices.Clone(d.GetFeatures()), &routerv1.NamedValue{Name: "turns", Value: 1}),
		}
		if w.random.Float64() < good {
			e.Score = 1000
		}
		all = append(all, e)
	}
	for batch := range slices.Chunk(all, 1000) {
		report(t, w.c, batch)
	}
}

// decisionsBeside returns the first choices of the honest accounts and of a new one, after
// eight days in which a liar reported ten times as much as each of them, if wanted.
func decisionsBeside(t *testing.T, liar bool) map[string]string {
	path, routes := flipPolicy(t)
	w := &flipWorld{random: rand.New(rand.NewPCG(5, 6)), known: map[string]*routerv1.Decision{}}
	w.now.Store(time.Now().Unix())
	w.c = startWith(t, router.Config{Policy: path}, router.Deps{
		Now: func() time.Time { return time.Unix(w.now.Load(), 0) }, LearnsOnDemand: true,
	})
	for _, text := range flipTexts {
		r := auto("new", text)
		r.Question.Model = routes[0]
		d, err := w.c.router.Decide(bounded(t), r)
		require.NoError(t, err)
		w.known[text] = d.GetDecision()
	}
	honest := strings.Fields("ann ben cem dee eve fay gus")
	lies := &flipWorld{c: w.c, random: rand.New(rand.NewPCG(7, 8)), known: w.known}
	for range 8 {
		for _, account := range honest {
			w.report(t, account, 60, false)
		}
		if liar {
			lies.report(t, "liar", 600, true)
		}
		require.NoError(t, w.c.service.Learn(bounded(t)))
		w.now.Add(24 * 60 * 60)
	}
	chosen := map[string]string{}
	for _, account := range append(honest, "new") {
		for _, route := range routes {
			for _, text := range flipTexts {
				r := auto(account, text)
				r.Question.Model = route
				d, err := w.c.router.Decide(bounded(t), r)
				require.NoError(t, err)
				chosen[account+route+text] = d.GetDecision().GetPlan()[0].GetModel()
			}
		}
	}
	return chosen
}

// An account that reports everything flipped, ten times as much as the others, changes less
// than 1 % of the decisions of the others, though the honest outcomes change many.
func TestAFlippedAccountMovesNobodyElse(t *testing.T) {
	alone, beside := decisionsBeside(t, false), decisionsBeside(t, true)
	changed := 0
	for decided, model := range alone {
		if beside[decided] != model {
			changed++
		}
	}
	t.Logf("%d of %d decisions changed (%.2f %%)", changed, len(alone), 100*float64(changed)/float64(len(alone)))
	require.Less(t, float64(changed), 0.01*float64(len(alone)))
	small := 0
	for _, model := range alone {
		if model == "sandbox-small" {
			small++
		}
	}
	require.Positive(t, small)
	require.Less(t, small, len(alone))
}
