package topic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/topic"
)

func TestNumbersInDataAreNoMathematics(t *testing.T) {
	for want, features := range map[string]map[string]int64{
		topic.Data:      {"maths": 400, "numbers": 6, "wants_json": 1, "task_extract": 1},
		topic.Maths:     {"maths": 400, "task_extract": 1}, // find all solutions
		topic.Code:      {"code": 300, "wants_json": 1},
		topic.Agentic:   {"tools": 2, "maths": 400},
		topic.Reasoning: {"options": 4},
		topic.General:   {},
	} {
		require.Equal(t, want, topic.Of(decide.NamedValuesFromMap(features)), want)
	}
	solved := map[string]int64{"maths": 400, "wants_json": 1, "task_solve": 1}
	require.Equal(t, topic.Maths, topic.Of(decide.NamedValuesFromMap(solved)))
}

// Package policy cannot import this package, so it lists the topics itself.
func TestRubricsAreByTopic(t *testing.T) {
	all := topic.All()
	require.Equal(t, all[:], policy.RubricTasks())
}
