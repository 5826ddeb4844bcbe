package canned

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAVectorIsAsLongAsThoseOfModels(t *testing.T) {
	vector := Vector()
	require.Equal(t, Dimensions-1+4+2, bytes.Count(vector, []byte(",")))
	require.InDelta(t, 30<<10, len(vector), 2<<10)
}
