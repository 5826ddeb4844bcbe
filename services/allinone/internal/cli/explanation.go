package cli

import (
	"time"

	"github.com/signalbox/signalbox/pkg/explain"
)

// ExplanationRows returns the rows that say in words what a decision was based on.
func ExplanationRows(e *explain.Explanation) [][]string {
	var rows [][]string
	if text := explain.JoinReasons(e.Reasons); text != "" {
		rows = append(rows, []string{"Because", text})
	}
	return append(rows, []string{"Predictor", e.Guard.Text})
}

// FormatQuality formats a quality and its interval, such as 0.85 (0.79–0.91). Without an
// interval, which is nil then, it formats the quality alone.
func FormatQuality(quality int64, low, high *int64) string {
	if quality <= 0 {
		return "unknown"
	}
	if low == nil || high == nil {
		return explain.FormatQuality(quality)
	}
	return explain.FormatQuality(quality) + " (" + explain.FormatInterval(explain.Interval{Low: *low, High: *high}) + ")"
}

// FormatLatency formats the expected time to the first token in microseconds. 0 means unknown.
func FormatLatency(us int64) string {
	if us <= 0 {
		return "unknown"
	}
	return (time.Duration(us) * time.Microsecond).Round(time.Millisecond).String()
}
