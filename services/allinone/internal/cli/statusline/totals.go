package statusline

import (
	"fmt"
	"strings"
)

// totals are the fields of a session that the line shows, in the format of the client API.
type totals struct {
	Model        string `json:"model"`
	CostNanoUSD  int64  `json:"cost_nano_usd"`
	SavedNanoUSD int64  `json:"saved_nano_usd"`
}

// describe returns the line, such as "gpt-5.4-mini · $0.0123 · saved $0.0456". A session without
// a turn has no model yet.
func (t totals) describe() string {
	parts := []string{formatUSD(t.CostNanoUSD)}
	if t.Model != "" {
		parts = append([]string{t.Model}, parts...)
	}
	switch {
	case t.SavedNanoUSD > 0:
		parts = append(parts, "saved "+formatUSD(t.SavedNanoUSD))
	case t.SavedNanoUSD < 0:
		parts = append(parts, formatUSD(-t.SavedNanoUSD)+" more than the baseline")
	}
	return strings.Join(parts, " · ")
}

const (
	nanoPerDollar = 1_000_000_000
	nanoPerCent   = nanoPerDollar / 100
	// nanoPerStep is the smallest amount that is shown.
	nanoPerStep = nanoPerCent / 100
)

// formatUSD rounds to cents from one dollar on, and to hundredths of a cent below. A smaller
// amount is not shown as zero.
func formatUSD(nano int64) string {
	switch {
	case nano >= nanoPerDollar:
		cents := nano/nanoPerCent + nano%nanoPerCent/(nanoPerCent/2)
		return fmt.Sprintf("$%d.%02d", cents/100, cents%100)
	case nano > 0 && nano < nanoPerStep:
		return "<$0.0001"
	}
	steps := nano/nanoPerStep + nano%nanoPerStep/(nanoPerStep/2)
	return fmt.Sprintf("$%d.%04d", steps/10_000, steps%10_000)
}
