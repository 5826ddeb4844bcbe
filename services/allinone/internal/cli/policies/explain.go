package policies

import (
	"context"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/explain"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// explainPolicy shows what the router would decide, and why. It calls no provider.
func explainPolicy(ctx context.Context, c cli.Invocation) error {
	r := newPolicyCommand(c)
	var question, draft, protocol string
	r.Flags.Optional(&question, "[QUESTION]", `the body of a request such as {"messages":[…]}, or JSON such as {"model":"auto","needs":["tools"],"input_tokens":1200,"caller":{"tags":["eu"]}}, a file with such JSON, or - for standard input; default: {}`)
	r.Flags.Func("protocol", "API of the request body: "+strings.Join(policyjson.Protocols(), ", ")+"; default: the fields of the body decide", cli.NonEmpty(&protocol))
	r.Flags.Func("draft", "policy file to use instead of the active version", cli.NonEmpty(&draft))
	return r.run(ctx, func() (err error) {
		q := &routerv1.ExplainRequest{}
		if q.Question, err = parseQuestion(c, question, protocol); err != nil {
			return err
		}
		if draft != "" {
			if q.Document, err = readFile(c, draft); err != nil {
				return err
			}
		}
		response, err := r.policies.Explain(ctx, q)
		if err != nil {
			return printPolicyProblems(r.Invocation, err, draft)
		}
		d := response.GetDecision()
		return r.PrintResult(policyjson.EncodeDecision(d), decisionRows(d)...)
	})
}

func parseQuestion(c cli.Invocation, given, protocol string) (*routerv1.Question, error) {
	if given == "" {
		given = "{}"
	}
	if !strings.HasPrefix(strings.TrimSpace(given), "{") {
		text, err := readFile(c, given)
		if err != nil {
			return nil, err
		}
		given = text
	}
	return policyjson.ParseQuestionOrBody([]byte(given), protocol)
}

func decisionRows(d *routerv1.Decision) [][]string {
	head := d.GetReason().GetCode()
	if rule := d.GetReason().GetRule(); rule != "" {
		head += " by rule " + rule
	}
	facts := policyjson.FactsOf(d)
	explanation := explain.Explain(facts)
	rows := append([][]string{{head}, {d.GetReason().GetText()}, {""}}, cli.ExplanationRows(&explanation)...)
	rows = append(rows, []string{""})
	rows = append(rows, verdictRows(d, facts)...)
	return append(rows, []string{""}, []string{"policy " + shortVersion(d.GetPolicyVersion()) + ", baseline " + d.GetBaselineModel()})
}

// verdictRows returns the table of the candidates. It leaves out the cost of the session if no
// candidate has one.
func verdictRows(d *routerv1.Decision, facts explain.Facts) [][]string {
	hasSession := slices.ContainsFunc(d.GetVerdicts(), func(v *routerv1.Verdict) bool { return v.SessionNanoUsd != nil })
	rows := [][]string{{"MODEL", "PROVIDER", "RESULT", "QUALITY", "EXPECTED COST", "SESSION COST", "FIRST TOKEN", "REASON"}}
	for _, v := range d.GetVerdicts() {
		model := v.GetCandidate().GetModel()
		rows = append(rows, []string{
			policy.JoinEffort(model, v.GetCandidate().GetEffort()), v.GetCandidate().GetProvider(), v.GetCode(), formatQuality(facts, model, v.GetQuality()),
			cli.FormatOptionalUSD(v.PredictedNanoUsd), cli.FormatOptionalUSD(v.SessionNanoUsd), cli.FormatLatency(v.GetLatencyUs()), v.GetText(),
		})
	}
	for i := range rows {
		if !hasSession {
			rows[i] = slices.Delete(rows[i], sessionColumn, sessionColumn+1)
		}
	}
	return rows
}

// sessionColumn is the index of the column with the cost of the session.
const sessionColumn = 5

func formatQuality(facts explain.Facts, model string, quality int64) string {
	if interval, ok := facts.IntervalOf(model, quality); ok {
		return cli.FormatQuality(quality, &interval.Low, &interval.High)
	}
	return cli.FormatQuality(quality, nil, nil)
}
