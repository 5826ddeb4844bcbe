package namelist_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
)

func TestNamesAreSafeAndLimited(t *testing.T) {
	var d namelist.List
	for _, name := range []string{"seed", "messages[].name", "seed", "", "a b", "a,b", `a"b`, "\u00e9", strings.Repeat("x", 65), strings.Repeat("x", 64)} {
		d.Add(name)
	}
	require.Equal(t, namelist.List{"seed", "messages[].name", "other", strings.Repeat("x", 64)}, d)
	for i := range 100 {
		d.Add("field" + strconv.Itoa(i))
	}
	require.Len(t, d, 32)
}
