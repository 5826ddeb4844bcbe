package remote

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

func TestConfirm(t *testing.T) {
	ask := func(interactive bool, typed string) (string, error) {
		var shown bytes.Buffer
		o := &Command{Invocation: cli.Invocation{In: strings.NewReader(typed), Err: &shown, Interactive: interactive}}
		err := o.Confirm(t.Context(), "End \x1b[31mit?")
		return shown.String(), err
	}
	for _, yes := range []string{"y\n", "YES\n"} {
		shown, err := ask(true, yes)
		require.NoError(t, err)
		require.Equal(t, "End ?[31mit? [y/N] ", shown)
	}
	for _, no := range []string{"\n", "no\n", "yesterday\n"} {
		_, err := ask(true, no)
		require.EqualError(t, err, "nothing was changed")
	}
	_, err := ask(true, "")
	require.ErrorIs(t, err, ErrCannotConfirm)
	_, err = ask(false, "y\n")
	require.ErrorIs(t, err, ErrCannotConfirm)
	require.NoError(t, (&Command{yes: true}).Confirm(context.Background(), "End it?"))
}
