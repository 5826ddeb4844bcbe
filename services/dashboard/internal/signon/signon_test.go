package signon

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestALongNextIsDropped(t *testing.T) {
	next := "/" + strings.Repeat("a", maxNextBytes-1)
	require.Equal(t, next, newAttempt("acme", next).Next)
	require.Empty(t, newAttempt("acme", next+"a").Next)
}
