package router_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

const (
	legal   = "Which court hears an appeal against a verdict of a jury, and may the plaintiff submit new evidence under the statute?"
	physics = "What is the kinetic energy of an electron whose velocity is a tenth of the speed of light in a vacuum?"
)

// auto requests a decision for a text of an account.
func auto(account, text string) *routerv1.DecideRequest {
	r := ask("auto")
	r.Question.Excerpt = text
	r.Question.Caller = &routerv1.Caller{AccountId: account}
	return r
}

// evidenceOf returns outcomes of the model sandbox-small, which is bad at law, and of
// sandbox-large, which does as well as predicted.
func evidenceOf(t *testing.T, c clients, account string, n int) []*routerv1.Evidence {
	random := rand.New(rand.NewPCG(1, 2))
	features := map[string][]*routerv1.NamedValue{}
	for _, text := range []string{legal, physics} {
		r, err := c.router.Decide(bounded(t), auto(account, text))
		require.NoError(t, err)
		features[text] = append(r.GetDecision().GetFeatures(), &routerv1.NamedValue{Name: "turns", Value: 1})
	}
	var all []*routerv1.Evidence
	for i := range n {
		text, model, good := physics, "sandbox-large", 0.9
		if i%2 == 0 {
			text = legal
		}
		if i%4 < 2 {
			model = "sandbox-small"
		}
		if text == legal && model == "sandbox-small" {
			good = 0.3
		}
		score := int64(0)
		if random.Float64() < good {
			score = 1000
		}
		all = append(all, &routerv1.Evidence{
			Id: fmt.Sprint(i), AccountId: account, Model: model, Features: features[text], Score: score, Weight: 1000,
			Source: "feedback", Time: timestamppb.Now(),
		})
	}
	return all
}

func report(t *testing.T, c clients, all []*routerv1.Evidence) *routerv1.ReportEvidenceResponse {
	r, err := c.router.ReportEvidence(bounded(t), &routerv1.ReportEvidenceRequest{Evidence: all})
	require.NoError(t, err)
	return r
}

func decision(t *testing.T, c clients, account, text string) *routerv1.Decision {
	r, err := c.router.Decide(bounded(t), auto(account, text))
	require.NoError(t, err)
	return r.GetDecision()
}

func qualityOf(d *routerv1.Decision, model string) int64 {
	for _, q := range d.GetQualities() {
		if q.GetName() == model {
			return q.GetValue()
		}
	}
	return -1
}

func TestEvidenceCorrectsPredictionsAndSurvivesAKill(t *testing.T) {
	dir := t.TempDir()
	c := start(t, router.Config{Data: dir})
	before := decision(t, c, "a", legal)
	all := evidenceOf(t, c, "a", 800)
	require.Equal(t, int64(800), report(t, c, all).GetAccepted())
	require.Equal(t, int64(800), report(t, c, all).GetDuplicates(), "evidence may be sent again")
	require.NoError(t, c.service.Learn(bounded(t)))

	after := decision(t, c, "a", legal)
	require.Less(t, qualityOf(after, "sandbox-small"), qualityOf(before, "sandbox-small")-50)
	require.Regexp(t, "^"+before.GetPredictor()[:7]+`.*\+[0-9a-f]{12}$`, after.GetPredictor(), "the record names the corrections")
	require.NotEqual(t, before.GetPredictor(), after.GetPredictor())
	require.Equal(t, before.GetQualities(), decision(t, c, "b", legal).GetQualities(), "another account keeps the shipped weights")

	// A killed router leaves its files as they are now.
	copied := t.TempDir()
	for _, name := range []string{"policy.db", "policy.db-wal"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(copied, name), data, 0o600))
	}
	again := start(t, router.Config{Data: copied})
	require.True(t, proto.Equal(after, decision(t, again, "a", legal)), "the same corrections apply after the restart")
	require.Equal(t, int64(800), report(t, again, all).GetDuplicates())
}

// The record of a decision is enough to decide again, byte for byte, after the router has
// learned something else.
func TestADecisionIsRecomputedWithItsCorrections(t *testing.T) {
	c := start(t, router.Config{})
	report(t, c, evidenceOf(t, c, "a", 800))
	require.NoError(t, c.service.Learn(bounded(t)))
	asked, made := auto("a", legal).GetQuestion(), decision(t, c, "a", legal)
	_, err := c.router.UseLearned(bounded(t), &routerv1.UseLearnedRequest{Version: "shipped"})
	require.NoError(t, err)
	require.NotEqual(t, made.GetQualities(), decision(t, c, "a", legal).GetQualities())

	recorded := proto.CloneOf(asked)
	recorded.Excerpt, recorded.Qualities, recorded.Predictor = "", made.GetQualities(), made.GetPredictor()
	recorded.Features = append(recorded.Features, made.GetFeatures()...)
	stream, err := c.policies.Replay(bounded(t))
	require.NoError(t, err)
	require.NoError(t, stream.Send(&routerv1.ReplayRequest{Question: recorded, PolicyVersion: made.GetPolicyVersion()}))
	again, err := stream.Recv()
	require.NoError(t, err)
	got := again.GetDecision()
	got.Features = made.GetFeatures()
	require.True(t, proto.Equal(made, got))
}

func TestLearnedVersionsCanBePinned(t *testing.T) {
	c := start(t, router.Config{})
	shipped := decision(t, c, "a", legal)
	report(t, c, evidenceOf(t, c, "a", 800))
	require.NoError(t, c.service.Learn(bounded(t)))
	list, err := c.router.ListLearned(bounded(t), &routerv1.ListLearnedRequest{})
	require.NoError(t, err)
	require.Len(t, list.GetVersions(), 1)
	require.Equal(t, list.GetVersions()[0].GetVersion(), list.GetActive())
	require.Equal(t, int64(1), list.GetVersions()[0].GetAccounts())
	learned := decision(t, c, "a", legal)

	used, err := c.router.UseLearned(bounded(t), &routerv1.UseLearnedRequest{Version: "shipped", Author: "op@example.com"})
	require.NoError(t, err)
	require.Equal(t, "shipped", used.GetActive())
	require.True(t, proto.Equal(shipped, decision(t, c, "a", legal)))
	require.NoError(t, c.service.Learn(bounded(t)))
	require.True(t, proto.Equal(shipped, decision(t, c, "a", legal)), "a pinned version stays")

	used, err = c.router.UseLearned(bounded(t), &routerv1.UseLearnedRequest{})
	require.NoError(t, err)
	require.Equal(t, list.GetActive(), used.GetActive())
	require.True(t, proto.Equal(learned, decision(t, c, "a", legal)))
	_, err = c.router.UseLearned(bounded(t), &routerv1.UseLearnedRequest{Version: "nowhere"})
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestLearningCanBeSwitchedOff(t *testing.T) {
	c := start(t, router.Config{Learning: "off"})
	before := decision(t, c, "a", legal)
	report(t, c, evidenceOf(t, c, "a", 800))
	require.NoError(t, c.service.Learn(bounded(t)))
	require.True(t, proto.Equal(before, decision(t, c, "a", legal)))
}

// Two routers share a store: outcomes that one receives correct the decisions of both, and
// both decide alike.
func TestRoutersAgreeOnWhatWasLearned(t *testing.T) {
	url := config.Secret(testenv.Postgres(t))
	one, two := start(t, router.Config{Postgres: url}), start(t, router.Config{Postgres: url})
	before := decision(t, two, "a", legal)
	all := evidenceOf(t, one, "a", 800)
	require.Equal(t, int64(400), report(t, one, all[:400]).GetAccepted())
	answer := report(t, two, all[200:])
	require.Equal(t, int64(400), answer.GetAccepted())
	require.Equal(t, int64(200), answer.GetDuplicates())
	require.NoError(t, one.service.Learn(bounded(t)))
	require.NoError(t, two.service.Learn(bounded(t)))
	require.True(t, proto.Equal(decision(t, one, "a", legal), decision(t, two, "a", legal)))
	require.NotEqual(t, before.GetPredictor(), decision(t, two, "a", legal).GetPredictor())
}

func TestInvalidEvidenceIsRejected(t *testing.T) {
	c := start(t, router.Config{})
	for param, change := range map[string]func(*routerv1.Evidence){
		"id":         func(e *routerv1.Evidence) { e.Id = "a\x00" },
		"account_id": func(e *routerv1.Evidence) { e.AccountId = "" },
		"model":      func(e *routerv1.Evidence) { e.Model = "" },
		"features":   func(e *routerv1.Evidence) { e.Features = make([]*routerv1.NamedValue, 201) },
		"score":      func(e *routerv1.Evidence) { e.Score = 1001 },
		"weight":     func(e *routerv1.Evidence) { e.Weight = 0 },
		"source":     func(e *routerv1.Evidence) { e.Source = string(make([]byte, 65)) },
		"time":       func(e *routerv1.Evidence) { e.Time = nil },
	} {
		all := evidenceOf(t, c, "a", 2)
		change(all[1])
		_, err := c.router.ReportEvidence(bounded(t), &routerv1.ReportEvidenceRequest{Evidence: all})
		e := apperr.From(err)
		require.Equal(t, apperr.InvalidRequest, e.Code, param)
		require.Equal(t, param, e.Details["param"])
		require.Equal(t, "1", fmt.Sprint(e.Details["index"]))
	}
	_, err := c.router.ReportEvidence(bounded(t), &routerv1.ReportEvidenceRequest{Evidence: evidenceOf(t, c, "a", 1001)})
	require.True(t, apperr.Is(err, apperr.InvalidRequest))
	all := evidenceOf(t, c, "a", 3)
	all[0].Model, all[1].Time = "unknown", timestamppb.New(time.Now().AddDate(0, 0, -31))
	answer := report(t, c, all)
	require.Equal(t, int64(2), answer.GetIgnored())
	require.Equal(t, int64(1), answer.GetAccepted(), "nothing of a rejected batch was stored")
}
