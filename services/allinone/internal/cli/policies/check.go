package policies

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/router"
)

// checkedView is the result of a check in JSON.
type checkedView struct {
	Version  *string         `json:"version"`
	Problems policy.Problems `json:"problems"`
	// Tests is nil if no tests were run. Failed lists the tests that failed.
	Tests  *int            `json:"tests,omitempty"`
	Failed policy.Problems `json:"failed,omitempty"`
}

// validatePolicy checks a file with the same code as the router. It calls no service, so
// it also works in CI.
func validatePolicy(_ context.Context, c cli.Invocation) error {
	return checkPolicyFile(c, router.Validate, false)
}

// testPolicy checks a file like validatePolicy. It also runs the tests in the file.
func testPolicy(_ context.Context, c cli.Invocation) error {
	return checkPolicyFile(c, router.RunTests, true)
}

func checkPolicyFile(c cli.Invocation, check func([]byte) (router.ValidationResult, error), runsTests bool) error {
	var file string
	var asJSON bool
	set := config.New()
	set.FlagsOnly(true)
	set.Argument(&file, "FILE", "policy file; - reads standard input")
	set.Bool(&asJSON, "json", false, "print JSON")
	if err := set.Load(c.Args, nil); err != nil {
		return err
	}
	text, err := readFile(c, file)
	if err != nil {
		return err
	}
	checked, err := check([]byte(text))
	if err != nil {
		return err
	}
	view := &checkedView{Version: cli.NullIfEmpty(checked.Version), Problems: append(policy.Problems{}, checked.Problems...)}
	line, tests := "OK "+shortVersion(checked.Version), cli.CountNoun(int64(checked.Tests), "test")
	if runsTests {
		view.Tests, view.Failed = &checked.Tests, checked.Failed
		line += ", " + tests
	}
	if asJSON {
		if err := c.PrintResult(asJSON, view); err != nil {
			return err
		}
	}
	if err := printProblems(c, file, checked.Problems, countProblems(checked.Problems)); err != nil {
		return err
	}
	if err := printProblems(c, file, checked.Failed, fmt.Sprintf("%d of %s failed", len(checked.Failed), tests)); err != nil {
		return err
	}
	if asJSON {
		return nil
	}
	return c.PrintResult(asJSON, nil, []string{line})
}
