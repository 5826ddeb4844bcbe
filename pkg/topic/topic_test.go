package topic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/topic"
)

// Package policy cannot import this package, so it lists the topics itself.
func TestRubricsAreByTopic(t *testing.T) {
	all := topic.All()
	require.Equal(t, all[:], policy.RubricTasks())
}
