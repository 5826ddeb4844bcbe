package main

import (
	"context"
	"strings"

	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// explainPolicy asks what would be decided, and why. Nothing is served.
func explainPolicy(ctx context.Context, c call) error {
	r := newRules(c)
	var question, draft string
	r.set.Optional(&question, "[QUESTION]", `JSON such as {"model":"auto","needs":["tools"],"input_tokens":1200,"asker":{"tags":["eu"]}}, or a file of it, or - for what comes in; {} if not given`)
	r.set.Func("draft", "decide by this policy file instead of the version in force", given(&draft))
	return r.with(ctx, func() (err error) {
		q := &routerv1.ExplainRequest{}
		if q.Question, err = c.question(question); err != nil {
			return err
		}
		if draft != "" {
			if q.Document, err = c.read(draft); err != nil {
				return err
			}
		}
		answer, err := r.policies.Explain(ctx, q)
		if err != nil {
			return r.refusedFor(err, draft)
		}
		d := answer.GetDecision()
		return r.show(policyjson.Message(d), decisionRows(d)...)
	})
}

func (c call) question(given string) (*routerv1.Question, error) {
	if given == "" {
		given = "{}"
	}
	if !strings.HasPrefix(strings.TrimSpace(given), "{") {
		text, err := c.read(given)
		if err != nil {
			return nil, err
		}
		given = text
	}
	return policyjson.Question([]byte(given))
}

func decisionRows(d *routerv1.Decision) [][]string {
	head := d.GetReason().GetCode()
	if rule := d.GetReason().GetRule(); rule != "" {
		head += " by rule " + rule
	}
	rows := [][]string{{head}, {d.GetReason().GetText()}, {""}, {"MODEL", "PROVIDER", "VERDICT", "EXPECTED COST", "WHY"}}
	for _, v := range d.GetVerdicts() {
		rows = append(rows, []string{
			v.GetTarget().GetModel(), v.GetTarget().GetProvider(), v.GetCode(), maybeUSD(v.PredictedNanoUsd), v.GetText(),
		})
	}
	return append(rows, []string{""}, []string{"policy " + short(d.GetPolicyVersion()) + ", baseline " + d.GetBaselineModel()})
}
