package setting

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSanitizeClientTruncates(t *testing.T) {
	require.Equal(t, "ab", SanitizeClient("a\x00\n\xff\u202eb"))
	long := SanitizeClient(strings.Repeat("\u00fc", maxClientLength))
	require.Equal(t, strings.Repeat("\u00fc", maxClientLength/2), long)
}
