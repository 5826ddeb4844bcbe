package scale

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintScale(t *testing.T) {
	var out bytes.Buffer
	printTable(&out, []figures{
		{proxies: 1, perSecond: []float64{900}, perCPU: []float64{9000, 10000, 11000}, generator: []float64{40}},
		{proxies: 2, perSecond: []float64{1800}, perCPU: []float64{9100}, generator: []float64{41}},
		{proxies: 4, perSecond: []float64{1900}, perCPU: []float64{8900}, generator: []float64{42}},
	})
	require.Regexp(t, `(?m)^ *1 +900 +10,000 +9,000-11,000 +1.00 +met +40 *$`, out.String())
	require.Regexp(t, `(?m)^ *2 +1,800 +9,100 +9,100-9,100 +0.91 +met +41 *$`, out.String())
	require.Regexp(t, `(?m)^ *4 .* 0.89 +NOT met +42 *$`, out.String())
}
