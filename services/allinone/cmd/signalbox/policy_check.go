package main

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router"
)

// checkedView is what is known of a document, as JSON.
type checkedView struct {
	Version  *string         `json:"version"`
	Problems policy.Problems `json:"problems"`
	// Tests and Failed are absent where no test was run.
	Tests  *int            `json:"tests,omitempty"`
	Failed policy.Problems `json:"failed,omitempty"`
}

// validatePolicy checks a file as a router of this build would. It asks no
// service, so that it runs wherever the file is.
func validatePolicy(_ context.Context, c call) error {
	return checkFile(c, router.Validate, func(checked router.Checked, v *checkedView) string {
		return fmt.Sprintf("OK %s", short(checked.Version))
	})
}

// testPolicy also runs the tests that stand in the file.
func testPolicy(_ context.Context, c call) error {
	return checkFile(c, router.Test, func(checked router.Checked, v *checkedView) string {
		v.Tests, v.Failed = &checked.Tests, checked.Failed
		return fmt.Sprintf("OK %s, %d tests", short(checked.Version), checked.Tests)
	})
}

func checkFile(c call, check func([]byte) (router.Checked, error), say func(router.Checked, *checkedView) string) error {
	o := newOperator(c)
	var file string
	o.set.Argument(&file, "FILE", "the policy, or - for what comes in")
	o.set.Bool(&o.json, "json", false, "print JSON")
	if err := o.set.Load(c.args, nil); err != nil {
		return err
	}
	text, err := c.read(file)
	if err != nil {
		return err
	}
	checked, err := check([]byte(text))
	if err != nil {
		return err
	}
	view := &checkedView{Version: orNull(checked.Version), Problems: append(policy.Problems{}, checked.Problems...)}
	line := say(checked, view)
	if o.json {
		if err := o.show(view); err != nil {
			return err
		}
	}
	if err := c.faulty(file, checked.Problems, "problems"); err != nil {
		return err
	}
	if err := c.faulty(file, checked.Failed, fmt.Sprintf("of %d tests fail", checked.Tests)); err != nil {
		return err
	}
	if o.json {
		return nil
	}
	return o.show(nil, []string{line})
}
