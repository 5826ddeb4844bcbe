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
	return checkPolicyFile(c, router.Validate, func(checked router.ValidationResult, v *checkedView) string {
		return fmt.Sprintf("OK %s", shortVersion(checked.Version))
	})
}

// testPolicy checks a file like validatePolicy. It also runs the tests in the file.
func testPolicy(_ context.Context, c cli.Invocation) error {
	return checkPolicyFile(c, router.RunTests, func(checked router.ValidationResult, v *checkedView) string {
		v.Tests, v.Failed = &checked.Tests, checked.Failed
		return fmt.Sprintf("OK %s, %s", shortVersion(checked.Version), cli.CountNoun(int64(checked.Tests), "test"))
	})
}

func checkPolicyFile(c cli.Invocation, check func([]byte) (router.ValidationResult, error), summarize func(router.ValidationResult, *checkedView) string) error {
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
	line := summarize(checked, view)
	if asJSON {
		if err := c.PrintResult(asJSON, view); err != nil {
			return err
		}
	}
	if err := printProblems(c, file, checked.Problems, countProblems(checked.Problems)); err != nil {
		return err
	}
	if err := printProblems(c, file, checked.Failed, fmt.Sprintf("%d of %s failed", len(checked.Failed), cli.CountNoun(int64(checked.Tests), "test"))); err != nil {
		return err
	}
	if asJSON {
		return nil
	}
	return c.PrintResult(asJSON, nil, []string{line})
}
