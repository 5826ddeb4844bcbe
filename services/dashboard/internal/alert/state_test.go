package alert_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
)

var noon = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)

// observe passes one value every 30 seconds and returns the times, in seconds, at which the
// state changed.
func observe(r alert.Rule, values ...float64) (changes []int) {
	var s alert.State
	for i, v := range values {
		next, changed := s.Observe(r, alert.Reading{Value: v, Quiet: v < 0}, noon.Add(time.Duration(i)*30*time.Second))
		if s = next; changed {
			changes = append(changes, 30*i)
		}
	}
	return changes
}

func repeat(v float64, times int) (all []float64) {
	for range times {
		all = append(all, v)
	}
	return all
}

func concat(all ...[]float64) (out []float64) {
	for _, one := range all {
		out = append(out, one...)
	}
	return out
}

func TestStatesChangeOnlyForLastingValues(t *testing.T) {
	rate := alert.Rule{Kind: alert.ErrorRate, Threshold: 10}
	days := alert.Rule{Kind: alert.CertificateEnding, Threshold: 10}
	down := alert.Rule{Kind: alert.ProviderDown, Threshold: 1}
	for name, c := range map[string]struct {
		rule   alert.Rule
		values []float64
		want   []int
	}{
		"a short peak":                    {rate, concat(repeat(50, 2), repeat(0, 20)), nil},
		"a lasting peak":                  {rate, repeat(10, 20), []int{60}},
		"just below":                      {rate, repeat(9.9, 20), nil},
		"back to normal":                  {rate, concat(repeat(50, 3), repeat(0, 20)), []int{60, 390}},
		"around the threshold":            {rate, concat(repeat(50, 3), repeat(9, 40)), []int{60}},
		"short pauses do not resolve":     {rate, concat(repeat(50, 3), repeat(0, 10), repeat(50, 1), repeat(0, 10)), []int{60}},
		"too few requests resolve":        {rate, concat(repeat(50, 3), repeat(-1, 20)), []int{60, 390}},
		"too few requests do not fire":    {rate, repeat(-1, 20), nil},
		"few days are bad":                {days, concat(repeat(30, 3), repeat(10, 4)), []int{150}},
		"a few more days are not enough":  {days, concat(repeat(9, 3), repeat(10.5, 30)), []int{60}},
		"a new certificate":               {days, concat(repeat(9, 3), repeat(90, 12)), []int{60, 390}},
		"a provider that is down and up":  {down, concat(repeat(1, 3), repeat(0, 12)), []int{60, 390}},
		"a provider that comes and goes":  {down, concat(repeat(1, 2), repeat(0, 1), repeat(1, 2), repeat(0, 1)), nil},
		"fires, resolves, and fires anew": {rate, concat(repeat(50, 3), repeat(0, 11), repeat(50, 3)), []int{60, 390, 480}},
	} {
		require.Equal(t, c.want, observe(c.rule, c.values...), name)
	}
}

func TestQuietHoursInTheZoneOfTheChannel(t *testing.T) {
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return v
	}
	night := func(zone string) alert.QuietHours { return alert.QuietHours{From: 22 * 60, To: 6*60 + 30, Zone: zone} }
	for _, c := range []struct {
		hours   alert.QuietHours
		at, end string
	}{
		{night(""), "2026-11-14T21:59:59Z", ""},
		{night(""), "2026-11-14T22:00:00Z", "2026-11-15T06:30:00Z"},
		{night(""), "2026-11-15T06:29:59Z", "2026-11-15T06:30:00Z"},
		{night(""), "2026-11-15T06:30:00Z", ""},
		{night("Asia/Tokyo"), "2026-11-14T13:00:00Z", "2026-11-14T21:30:00Z"}, // 22:00 in Tokyo
		{night("Asia/Tokyo"), "2026-11-14T22:00:00Z", ""},                     // 07:00 in Tokyo
		{night("Pacific/Kiritimati"), "2026-11-14T08:00:00Z", "2026-11-14T16:30:00Z"},
		{night("America/New_York"), "2026-11-01T03:00:00Z", "2026-11-01T11:30:00Z"}, // the clock goes back in this night
		{night("America/New_York"), "2026-03-08T04:00:00Z", "2026-03-08T10:30:00Z"}, // the clock goes forward
		{alert.QuietHours{From: 9 * 60, To: 17 * 60, Zone: "Europe/Berlin"}, "2026-11-14T08:00:00Z", "2026-11-14T16:00:00Z"},
		{alert.QuietHours{From: 9 * 60, To: 17 * 60, Zone: "Europe/Berlin"}, "2026-11-14T16:00:00Z", ""},
		{alert.QuietHours{From: 540, To: 540}, "2026-11-14T09:00:00Z", ""},
	} {
		end, ok := c.hours.Until(at(c.at))
		require.Equal(t, c.end != "", ok, "%+v", c)
		if ok {
			require.Equal(t, at(c.end), end.UTC(), "%+v", c)
		}
	}
	require.Error(t, alert.QuietHours{Zone: "Mars/Olympus"}.Validate())
	require.Error(t, alert.QuietHours{Zone: "Local"}.Validate())
	require.Error(t, alert.QuietHours{From: 1440}.Validate())
	require.NoError(t, night("Asia/Kathmandu").Validate())
}

func TestRulesAndChannelsAreValidated(t *testing.T) {
	good := alert.Rule{Name: "Errors", Kind: alert.ErrorRate, Threshold: 5, Window: 15 * time.Minute, MinRequests: 10, Channels: []string{"a"}}
	require.NoError(t, good.Validate(false, []string{"a", "b"}))
	for name, change := range map[string]func(*alert.Rule){
		"kind": func(r *alert.Rule) { r.Kind = alert.ProviderDown }, "name": func(r *alert.Rule) { r.Name = "a\nb" },
		"threshold": func(r *alert.Rule) { r.Threshold = 101 }, "window_seconds": func(r *alert.Rule) { r.Window = time.Second },
		"min_requests": func(r *alert.Rule) { r.MinRequests = -1 }, "channels": func(r *alert.Rule) { r.Channels = []string{"other's"} },
	} {
		r := good
		change(&r)
		require.Equal(t, name, apperr.From(r.Validate(false, []string{"a"})).Details["param"])
	}
	down := alert.Rule{Name: "Down", Kind: alert.ProviderDown, Threshold: 1}
	require.Error(t, down.Validate(false, nil))
	require.NoError(t, down.Validate(true, nil))
	for address, ok := range map[string]bool{"a@example.com": true, "A <a@example.com>": false, "a@example.com\r\nBcc: b@example.com": false, "a": false} {
		c := alert.Channel{Name: "Mail", Kind: alert.Email, Address: address}
		require.Equal(t, ok, c.Validate(nil) == nil, address)
	}
	hook := alert.Channel{Kind: alert.Slack, Address: "https://hooks.example.com/T0/B0/token?x=secret"}
	require.Equal(t, "https://hooks.example.com/…", hook.MaskedAddress())
}
