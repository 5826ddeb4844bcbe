package export

import (
	"encoding/csv"
	"net/http"
	"strconv"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// WriteImpactCSV writes one row per group or, without a grouping, one row for
// the total. Amounts are in nano-USD.
func WriteImpactCSV(w http.ResponseWriter, impact record.Impact, by record.GroupBy) error {
	name, file, groups := string(by), "impact-by-"+string(by)+".csv", impact.Groups
	if by == "" {
		name, file, groups = "group", "impact.csv", []record.Group{{Value: "all", Sums: impact.Sums}}
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
	lines := [][]string{{name, "name", "requests", "routed_nano_usd", "baseline_nano_usd", "saved_nano_usd", "unpriced"}}
	for _, g := range groups {
		lines = append(lines, groupRow(g))
	}
	_ = csv.NewWriter(w).WriteAll(lines) // fails only if the client has disconnected
	return nil
}

func groupRow(g record.Group) []string {
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	name := g.Name
	if g.Other {
		name = "all smaller groups"
	}
	return []string{EscapeCell(g.Value), EscapeCell(name), n(g.Requests), n(g.Routed), n(g.Baseline), n(g.Saved), n(g.Unpriced)}
}
