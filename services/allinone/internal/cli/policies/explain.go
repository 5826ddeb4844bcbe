package policies

import (
	"context"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// explainPolicy shows what the router would decide, and why. It calls no provider.
func explainPolicy(ctx context.Context, c cli.Invocation) error {
	r := newPolicyCommand(c)
	var question, draft string
	r.Flags.Optional(&question, "[QUESTION]", `JSON such as {"model":"auto","needs":["tools"],"input_tokens":1200,"caller":{"tags":["eu"]}}, the body of a request such as {"messages":[…]}, a file with such JSON, or - for standard input; default: {}`)
	r.Flags.Func("draft", "policy file to use instead of the active version", cli.NonEmpty(&draft))
	return r.run(ctx, func() (err error) {
		q := &routerv1.ExplainRequest{}
		if q.Question, err = parseQuestion(c, question); err != nil {
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
		return r.PrintResult(policyjson.EncodeMessage(d), decisionRows(d)...)
	})
}

func parseQuestion(c cli.Invocation, given string) (*routerv1.Question, error) {
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
	return policyjson.ParseQuestionOrBody([]byte(given))
}

// verdictRow returns the cells of a row. It leaves out the cost of the session if no candidate
// has one.
func verdictRow(d *routerv1.Decision, model, provider, result, cost, sessionCost, reason string) []string {
	if !slices.ContainsFunc(d.GetVerdicts(), func(v *routerv1.Verdict) bool { return v.SessionNanoUsd != nil }) {
		return []string{model, provider, result, cost, reason}
	}
	return []string{model, provider, result, cost, sessionCost, reason}
}

func decisionRows(d *routerv1.Decision) [][]string {
	head := d.GetReason().GetCode()
	if rule := d.GetReason().GetRule(); rule != "" {
		head += " by rule " + rule
	}
	rows := [][]string{{head}, {d.GetReason().GetText()}, {""}, verdictRow(d, "MODEL", "PROVIDER", "RESULT", "EXPECTED COST", "SESSION COST", "REASON")}
	for _, v := range d.GetVerdicts() {
		rows = append(rows, verdictRow(d,
			policy.JoinEffort(v.GetCandidate().GetModel(), v.GetCandidate().GetEffort()), v.GetCandidate().GetProvider(), v.GetCode(), cli.FormatOptionalUSD(v.PredictedNanoUsd), cli.FormatOptionalUSD(v.SessionNanoUsd), v.GetText(),
		))
	}
	return append(rows, []string{""}, []string{"policy " + shortVersion(d.GetPolicyVersion()) + ", baseline " + d.GetBaselineModel()})
}
