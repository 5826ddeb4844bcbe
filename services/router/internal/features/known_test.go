package features_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/features"
)

// Rules may ask for every feature that is read here, and for no other one.
func TestPoliciesKnowTheFeatures(t *testing.T) {
	known := policy.Features()
	require.Equal(t, features.Names(), known[len(known)-len(features.Names()):])
}
