package main

import (
	"context"
	"strings"

	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// explainPolicy shows what the router would decide, and why. It calls no provider.
func explainPolicy(ctx context.Context, c invocation) error {
	r := newPolicyCommand(c)
	var question, draft string
	r.set.Optional(&question, "[QUESTION]", `JSON such as {"model":"auto","needs":["tools"],"input_tokens":1200,"caller":{"tags":["eu"]}}, a file with such JSON, or - for standard input; default: {}`)
	r.set.Func("draft", "policy file to use instead of the active version", nonEmpty(&draft))
	return r.runWithRouter(ctx, func() (err error) {
		q := &routerv1.ExplainRequest{}
		if q.Question, err = c.parseQuestion(question); err != nil {
			return err
		}
		if draft != "" {
			if q.Document, err = c.readFile(draft); err != nil {
				return err
			}
		}
		response, err := r.policies.Explain(ctx, q)
		if err != nil {
			return r.printPolicyProblems(err, draft)
		}
		d := response.GetDecision()
		return r.printResult(policyjson.EncodeMessage(d), decisionRows(d)...)
	})
}

func (c invocation) parseQuestion(given string) (*routerv1.Question, error) {
	if given == "" {
		given = "{}"
	}
	if !strings.HasPrefix(strings.TrimSpace(given), "{") {
		text, err := c.readFile(given)
		if err != nil {
			return nil, err
		}
		given = text
	}
	return policyjson.ParseQuestion([]byte(given))
}

func decisionRows(d *routerv1.Decision) [][]string {
	head := d.GetReason().GetCode()
	if rule := d.GetReason().GetRule(); rule != "" {
		head += " by rule " + rule
	}
	rows := [][]string{{head}, {d.GetReason().GetText()}, {""}, {"MODEL", "PROVIDER", "RESULT", "EXPECTED COST", "REASON"}}
	for _, v := range d.GetVerdicts() {
		rows = append(rows, []string{
			v.GetCandidate().GetModel(), v.GetCandidate().GetProvider(), v.GetCode(), formatOptionalUSD(v.PredictedNanoUsd), v.GetText(),
		})
	}
	return append(rows, []string{""}, []string{"policy " + shortVersion(d.GetPolicyVersion()) + ", baseline " + d.GetBaselineModel()})
}
