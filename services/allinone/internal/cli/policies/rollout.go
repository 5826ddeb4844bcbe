package policies

import (
	"context"
	"fmt"
	"strconv"

	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// rolloutCommands returns the commands for rollouts. The dashboard adds what they do to the
// audit log.
func rolloutCommands() []cli.Command {
	return []cli.Command{
		{Name: "rollout start", Arguments: "FILE", Summary: "replace the active policy step by step, and roll back if the new one is worse", Run: startRollout,
			Examples: []string{"signalbox.yaml", "signalbox.yaml --note cheaper --step-seconds 3600", "signalbox.yaml --manual"}},
		{Name: "rollout show", Summary: "show the latest rollout: its share, what happened, and why it stopped", Run: showRollout, Examples: []string{"", "--json"}},
		{Name: "rollout advance", Summary: "go to the next step; after 50 % the new policy becomes active", Run: changeRollout(routerv1.RolloutAction_ROLLOUT_ACTION_ADVANCE),
			Examples: []string{""}},
		{Name: "rollout halt", Summary: "keep the share until you advance or roll back", Run: changeRollout(routerv1.RolloutAction_ROLLOUT_ACTION_HALT),
			Examples: []string{"", "--reason weekend"}},
		{Name: "rollout rollback", Summary: "send all requests to the stable policy and end the rollout", Run: changeRollout(routerv1.RolloutAction_ROLLOUT_ACTION_ROLL_BACK),
			Examples: []string{"", "--reason mistake"}},
	}
}

func startRollout(ctx context.Context, c cli.Invocation) error {
	r := newPolicyCommand(c)
	g := &routerv1.Guardrails{}
	q := &routerv1.StartRolloutRequest{Author: "operator", Guardrails: g}
	var file string
	r.Flags.Argument(&file, "FILE", "policy file; - reads standard input")
	r.Flags.Func("author", "author to show; default: operator", cli.NonEmpty(&q.Author))
	r.Flags.Func("note", "note to show", cli.NonEmpty(&q.Note))
	r.Flags.Func("over", "start only if this full version is active", cli.NonEmpty(&q.ExpectedVersion))
	r.Flags.Bool(&g.Manual, "manual", false, "advance only by hand; the guardrails still roll back")
	r.Flags.Int(&g.StepSeconds, "step-seconds", 600, 1, 604800, "shortest duration of a step")
	r.Flags.Int(&g.MinRequests, "min-requests", 100, 20, 1_000_000, "requests that each policy must serve in a step")
	r.Flags.Int(&g.ErrorPoints, "error-points", 20, 1, 500, "allowed increase of the error rate, in thousandths")
	r.Flags.Int(&g.LatencyPercent, "latency-percent", 50, 1, 1000, "allowed increase of the typical latency")
	r.Flags.Int(&g.CostPercent, "cost-percent", 50, 1, 1000, "allowed increase of the mean cost per request")
	r.Flags.Int(&g.QualityPoints, "quality-points", 30, 1, 500, "allowed loss of quality, in thousandths")
	return r.run(ctx, func() error {
		text, err := readFile(c, file)
		if err != nil {
			return err
		}
		q.Document = text
		made, err := r.policies.StartRollout(ctx, q)
		if err != nil {
			return printPolicyProblems(r.Invocation, err, file)
		}
		return r.printRollout(made.GetRollout())
	})
}

func showRollout(ctx context.Context, c cli.Invocation) error {
	r := newPolicyCommand(c)
	return r.run(ctx, func() error {
		list, err := r.policies.ListRollouts(ctx, &routerv1.ListRolloutsRequest{Limit: 1})
		if err != nil {
			return err
		}
		if len(list.GetRollouts()) == 0 {
			return r.PrintResult(nil, []string{"There is no rollout. Start one with: signalbox rollout start FILE"})
		}
		return r.printRollout(list.GetRollouts()[0])
	})
}

func changeRollout(a routerv1.RolloutAction) func(ctx context.Context, c cli.Invocation) error {
	return func(ctx context.Context, c cli.Invocation) error {
		r := newPolicyCommand(c)
		q := &routerv1.ChangeRolloutRequest{Author: "operator", Action: a}
		r.Flags.Func("author", "author to show; default: operator", cli.NonEmpty(&q.Author))
		r.Flags.Func("reason", "reason to show", cli.NonEmpty(&q.Reason))
		return r.run(ctx, func() error {
			changed, err := r.policies.ChangeRollout(ctx, q)
			if err != nil {
				return err
			}
			return r.printRollout(changed.GetRollout())
		})
	}
}

func (r *policyCommand) printRollout(o *routerv1.Rollout) error {
	rows := [][]string{
		{"State", o.GetState()},
		{"Share", formatShare(o.GetShare())},
		{"New policy", shortVersion(o.GetCandidateVersion())},
		{"Stable policy", shortVersion(o.GetStableVersion())},
	}
	if o.GetReason() != "" {
		rows = append(rows, []string{"Reason", o.GetReason()})
	}
	rows = append(rows, []string{""})
	for _, e := range o.GetEvents() {
		by := e.GetAuthor()
		if by == "" {
			by = "guardrails"
		}
		rows = append(rows, []string{remote.FormatTableTime(e.GetTime()), fmt.Sprintf("%s at %s by %s", e.GetAction(), formatShare(e.GetShare()), by), e.GetReason()})
	}
	return r.PrintResult(policyjson.EncodeMessage(o), rows...)
}

func formatShare(share int32) string {
	return strconv.FormatFloat(float64(share)/100, 'f', -1, 64) + " %"
}
