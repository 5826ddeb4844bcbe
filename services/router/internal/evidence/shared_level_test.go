package evidence

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSharedTopicsMustAddToTheModels checks that topics are not shared if they predict better than
// the shipped weights, but worse than the corrections of models alone.
func TestSharedTopicsMustAddToTheModels(t *testing.T) {
	all := map[string]*account{}
	for i := range 2 * minGroups {
		all[strconv.Itoa(i)] = &account{Shared: scores{Gain: [levels]float64{10, 4}, Step: [levels]float64{10, -6}, Weight: 2 * minScored}}
	}
	require.Equal(t, 1, sharedLevel(all))
	for _, a := range all {
		a.Shared.Gain[1], a.Shared.Step[1] = 16, 6
	}
	require.Equal(t, 2, sharedLevel(all))
}
