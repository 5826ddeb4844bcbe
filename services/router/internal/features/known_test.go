package features_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/features"
)

// Rules can refer to every feature that is read here, and to no other.
func TestPoliciesKnowTheFeatures(t *testing.T) {
	known := policy.FeatureNames()
	require.Equal(t, features.Names(), known[len(known)-len(features.Names()):])
}
