package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintScale(t *testing.T) {
	var out bytes.Buffer
	printScale(&out, []scaleFigures{
		{proxies: 1, perSecond: []float64{900}, perCPU: []float64{9000, 10000, 11000}, generator: []float64{40}},
		{proxies: 2, perSecond: []float64{1800}, perCPU: []float64{9100}, generator: []float64{41}},
		{proxies: 4, perSecond: []float64{1900}, perCPU: []float64{8900}, generator: []float64{42}},
	})
	require.Regexp(t, `(?m)^ *1 +900 +10,000 +9,000-11,000 +1.00 +met +40 *$`, out.String())
	require.Regexp(t, `(?m)^ *2 +1,800 +9,100 +9,100-9,100 +0.91 +met +41 *$`, out.String())
	require.Regexp(t, `(?m)^ *4 .* 0.89 +NOT met +42 *$`, out.String())
}

func TestProxyPIDs(t *testing.T) {
	box := &signalbox{edges: make([]string, 3), proxy: 7, others: map[string]int{"proxy-2": 8, "proxy-3": 9, "router": 10}}
	require.Equal(t, []int{7, 8, 9}, box.proxyPIDs())
}
