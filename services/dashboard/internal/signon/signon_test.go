package signon

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"
)

func TestALongNextIsDropped(t *testing.T) {
	next := "/" + strings.Repeat("a", maxNextBytes-1)
	require.Equal(t, next, newAttempt("acme", next).Next)
	require.Empty(t, newAttempt("acme", next+"a").Next)
}

func TestTheLogCutsForeignText(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	for _, err := range []error{errors.New(long), &oauth2.RetrieveError{ErrorCode: long}} {
		require.Len(t, []rune(describe(err)), 200)
	}
	require.Equal(t, "short", describe(errors.New("short")))
}
