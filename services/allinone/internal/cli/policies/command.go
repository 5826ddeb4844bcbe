package policies

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// maxFileBytes is higher than the router's limit, so that the router can reject a file that is too large.
const maxFileBytes = 4 << 20

// policyCommand is a command that calls the policy API of the running router.
type policyCommand struct {
	*remote.Command
	policies routerv1.PolicyServiceClient
}

func newPolicyCommand(c cli.Invocation) *policyCommand {
	return &policyCommand{Command: remote.NewRouterCommand(c)}
}

func (r *policyCommand) run(ctx context.Context, work func() error) error {
	return r.RunWithRouter(ctx, func(conn grpc.ClientConnInterface) error {
		r.policies = routerv1.NewPolicyServiceClient(conn)
		return work()
	})
}

// readFile reads a file, or standard input if the name is "-".
func readFile(c cli.Invocation, file string) (text string, err error) {
	from := c.In
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
func printProblems(c cli.Invocation, file string, problems policy.Problems, summary string) error {
	if len(problems) == 0 {
		return nil
	}
	for _, p := range problems {
		if _, err := fmt.Fprintln(c.Err, cli.Sanitize(policy.Problems{p}.FormatForFile(file))); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %s", cli.Sanitize(file), summary)
}

func countProblems(problems policy.Problems) string {
	return cli.CountNoun(int64(len(problems)), "problem")
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
func printPolicyProblems(c cli.Invocation, err error, file string) error {
	var apiErr *apperr.Error
	if !errors.As(err, &apiErr) {
		return err
	}
	var problems policy.Problems
	if raw, err := json.Marshal(apiErr.Details["problems"]); err != nil || json.Unmarshal(raw, &problems) != nil {
		return apiErr
	}
	if printed := printProblems(c, file, problems, ""); printed == nil {
		return err
	}
	return apperr.New(apiErr.Code, fmt.Sprintf("%s: %s", file, apiErr.Message))
}

// shortVersion returns the first 12 characters of a version. They are enough to identify the version.
func shortVersion(version string) string { return version[:min(len(version), 12)] }
