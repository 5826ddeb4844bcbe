package health_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
)

func TestChecks(t *testing.T) {
	r := health.New()
	r.AddOptional("redis", broken)
	r.AddRequired("policy", ok)
	r.AddOptional("redis", ok)
	require.Equal(t, []health.CheckResult{{Name: "policy", Required: true, OK: true}, {Name: "redis"}}, r.Checks())
}
