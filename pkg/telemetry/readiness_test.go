package telemetry

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
)

func TestReadinessIsExported(t *testing.T) {
	tel, _ := start(t, Config{Service: "proxy"})
	ready := health.New()
	require.NoError(t, tel.MeasureReadiness(ready))
	ready.AddOptional("redis", func() error { return errors.New("away") })
	ready.AddRequired("policy", func() error { return nil })
	body := scrape(tel)
	require.Regexp(t, `(?m)^signalbox_ready(\{.*\})? 1$`, body)
	require.Regexp(t, `(?m)^signalbox_check_failing\{check="redis".*\} 1$`, body)
	require.Regexp(t, `(?m)^signalbox_check_failing\{check="policy".*\} 0$`, body)
	ready.Drain()
	require.Regexp(t, `(?m)^signalbox_ready(\{.*\})? 0$`, scrape(tel))
}
