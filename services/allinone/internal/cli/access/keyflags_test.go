package access

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func TestSettingsOfAKey(t *testing.T) {
	var f keyFlags
	set := config.New()
	f.addAllFlags(set)
	require.NoError(t, set.Load([]string{
		"--name", "n", "--scopes=chat,models", "--models=", "--may-swap-model", "yes", "--capture", "none", "--error-format=openai",
		"--usd-per-day", "2.50", "--requests-per-minute=7", "--expires", "2027-01-31",
	}, nil))
	require.ElementsMatch(t, []string{
		"name", "scopes", "models", "may_swap_model", "capture", "error_format",
		"limits.nano_usd_per_day", "limits.requests_per_minute", "expires_at",
	}, f.mask)
	s := &f.settings
	require.Equal(t, []string{"chat", "models"}, s.GetScopes())
	require.Empty(t, s.GetModels())
	require.True(t, s.GetMaySwapModel())
	require.Equal(t, keyauthv1.Capture_CAPTURE_NONE, s.GetCapture())
	require.Equal(t, keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI, s.GetErrorFormat())
	require.EqualValues(t, 2_500_000_000, s.GetLimits().GetNanoUsdPerDay())
	require.EqualValues(t, 7, s.GetLimits().GetRequestsPerMinute())
	require.Equal(t, time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC), s.GetExpiresAt().AsTime())
}

func TestSettingsThatAreRefused(t *testing.T) {
	for _, arg := range []string{
		"--may-swap-model=maybe", "--capture=all", "--capture=unspecified", "--error-format=xml", "--expires=soon", "--expires=-1h", "--expires=0d",
		"--usd-per-day=-1", "--usd-per-day=0.0000000001", "--usd-per-day=1e9", "--usd-per-day=1/3", "--usd-per-day=99999999999",
		"--requests-per-minute=-1", "--tokens-per-minute=many",
	} {
		var f keyFlags
		set := config.New()
		f.addAllFlags(set)
		require.Error(t, set.Load([]string{arg}, nil), arg)
	}
}

func TestParseTimeOrDuration(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for give, want := range map[string]time.Time{
		"never": {}, "90d": now.AddDate(0, 0, 90), "12h": now.Add(12 * time.Hour),
		"2027-01-31": time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC), "2027-01-31T10:00:00Z": time.Date(2027, 1, 31, 10, 0, 0, 0, time.UTC),
	} {
		got, err := parseTimeOrDuration(give, now)
		require.NoError(t, err, give)
		require.Equal(t, want, got, give)
	}
}
