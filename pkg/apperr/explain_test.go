package apperr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/testkit/docsref"
)

func TestEveryCodeIsExplained(t *testing.T) {
	for _, code := range apperr.Codes() {
		e := code.Explain()
		require.True(t, strings.HasSuffix(e.Meaning, "."), code)
		require.True(t, strings.HasSuffix(e.Action, "."), code)
	}
}

func TestErrorReferenceIsCurrent(t *testing.T) {
	var b strings.Builder
	for _, code := range apperr.Codes() {
		e, spec := code.Explain(), code.Spec()
		retry := "Do not retry."
		if spec.Retryable {
			retry = "Clients may retry."
		}
		fmt.Fprintf(&b, "### %s\n\nStatus %d. %s\n\n%s %s\n\n", code, spec.Status, retry, e.Meaning, e.Action)
	}
	docsref.Check(t, "errors.md", "error-codes", b.String())
}
