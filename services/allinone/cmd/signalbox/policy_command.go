package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// maxFileBytes is higher than the router's limit, so that the router can reject a file that is too large.
const maxFileBytes = 4 << 20

// policyCommand is a command that calls the policy API of the running router.
type policyCommand struct {
	*operatorCommand
	policies routerv1.PolicyServiceClient
}

func newPolicyCommand(c invocation) *policyCommand {
	r := &policyCommand{operatorCommand: newOperatorCommand(c)}
	r.service = routerService
	return r
}

func (r *policyCommand) runWithRouter(ctx context.Context, work func() error) (err error) {
	r.addCommonFlags("data directory of the signalbox or router that runs on this machine")
	if err := r.set.Load(r.args, r.environ); err != nil {
		return err
	}
	conn, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	r.policies = routerv1.NewPolicyServiceClient(conn)
	return r.explainError(work())
}

// readFile reads a file, or standard input if the name is "-".
func (c invocation) readFile(file string) (text string, err error) {
	from := c.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, maxFileBytes))
	return string(b), err
}

// printProblems prints one line for each problem. Like a compiler, it starts the line with
// file, line and column. If there are problems, it returns an error with the summary.
func (c invocation) printProblems(file string, problems policy.Problems, summary string) error {
	if len(problems) == 0 {
		return nil
	}
	for _, p := range problems {
		if _, err := fmt.Fprintln(c.err, sanitize(policy.Problems{p}.FormatForFile(file))); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %s", sanitize(file), summary)
}

func countProblems(problems policy.Problems) string {
	return countNoun(int64(len(problems)), "problem")
}

func toProblems(all []*routerv1.Problem) (out policy.Problems) {
	for _, p := range all {
		out = append(out, policy.Problem{
			Path: p.GetPath(), Line: int(p.GetLine()), Column: int(p.GetColumn()),
			Code: p.GetCode(), Message: p.GetMessage(), DidYouMean: p.GetDidYouMean(),
		})
	}
	return out
}

// printPolicyProblems prints the problems in the details of an API error. It returns an
// error with the file and the message.
func (c invocation) printPolicyProblems(err error, file string) error {
	var apiErr *apperr.Error
	if !errors.As(err, &apiErr) {
		return err
	}
	var problems policy.Problems
	if raw, err := json.Marshal(apiErr.Details["problems"]); err != nil || json.Unmarshal(raw, &problems) != nil {
		return apiErr
	}
	if printed := c.printProblems(file, problems, ""); printed == nil {
		return err
	}
	return apperr.New(apiErr.Code, fmt.Sprintf("%s: %s", file, apiErr.Message))
}

// shortVersion returns the first 12 characters of a version. They are enough to identify the version.
func shortVersion(version string) string { return version[:min(len(version), 12)] }
