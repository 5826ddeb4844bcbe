package redact_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/redact"
)

func compile(t *testing.T, pattern string) *policy.Policy {
	t.Helper()
	document := "version: 1\ndefaults:\n  logging:\n    redact: [{name: ticket, pattern: '" + pattern + "'}]\n"
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	return p
}

// During a rollout two policies decide in turns. Neither may push out the other.
func TestTheCacheHoldsBothPoliciesOfARollout(t *testing.T) {
	var c redact.Cache
	active, candidate := compile(t, "T-[0-9]+"), compile(t, "X-[0-9]+")
	first, err := c.For(active)
	require.NoError(t, err)
	second, err := c.For(candidate)
	require.NoError(t, err)
	require.NotEqual(t, first.RedactText("T-1 X-1"), second.RedactText("T-1 X-1"))
	for range 2 {
		again, _ := c.For(active)
		require.Same(t, first, again)
		again, _ = c.For(candidate)
		require.Same(t, second, again)
	}
	third, err := c.For(compile(t, "Y-[0-9]+"))
	require.NoError(t, err)
	again, _ := c.For(candidate)
	require.Same(t, second, again, "the newer of the two stays")
	require.NotSame(t, second, third)
}
