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

// maxFile is above what a policy may have; the router says how much that is.
const maxFile = 4 << 20

// rules is a command about the policy, which asks the running router.
type rules struct {
	*operator
	policies routerv1.PolicyServiceClient
}

func newRules(c call) *rules {
	r := &rules{operator: newOperator(c)}
	r.to = theRouter
	return r
}

// with reads the flags, reaches the router, and does the work.
func (r *rules) with(ctx context.Context, work func() error) (err error) {
	r.place("data directory of the signalbox or router that runs here")
	if err := r.set.Load(r.args, r.environ); err != nil {
		return err
	}
	conn, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	r.policies = routerv1.NewPolicyServiceClient(conn)
	return r.explain(work())
}

// read is a file, or what comes in where its name is "-".
func (c call) read(file string) (text string, err error) {
	from := c.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, maxFile))
	return string(b), err
}

// faulty prints problems as editors and compilers do, a line each that begins
// with file, line and column, and returns what a script sees by the exit code.
func (c call) faulty(file string, problems policy.Problems, what string) error {
	if len(problems) == 0 {
		return nil
	}
	for _, p := range problems {
		if _, err := fmt.Fprintln(c.err, printable(policy.Problems{p}.In(file))); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %d %s", printable(file), len(problems), what)
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

// refusedFor prints the problems that a refusal has in its details, if it has.
func (c call) refusedFor(err error, file string) error {
	var refused *apperr.Error
	if !errors.As(err, &refused) {
		return err
	}
	var problems policy.Problems
	if raw, err := json.Marshal(refused.Details["problems"]); err != nil || json.Unmarshal(raw, &problems) != nil {
		return refused
	}
	if printed := c.faulty(file, problems, ""); printed == nil {
		return err
	}
	return apperr.New(refused.Code, fmt.Sprintf("%s: %s", file, refused.Message))
}

// short is enough of a version's name to tell it from others.
func short(version string) string { return version[:min(len(version), 12)] }
