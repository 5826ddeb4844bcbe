package web

import (
	"encoding/csv"
	"net/http"
	"strconv"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// writeImpactCSV writes the breakdown as a table: a line for each group and,
// without any, one for the whole. Amounts are nano-USD, as everywhere.
func writeImpactCSV(w http.ResponseWriter, impact record.Impact, by record.GroupBy) error {
	name, file, groups := string(by), "impact-by-"+string(by)+".csv", impact.Groups
	if by == "" {
		name, file, groups = "group", "impact.csv", []record.Group{{Value: "all", Sums: impact.Sums}}
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
	lines := [][]string{{name, "name", "requests", "routed_nano_usd", "baseline_nano_usd", "kept_nano_usd", "unpriced"}}
	for _, g := range groups {
		lines = append(lines, groupLine(g))
	}
	_ = csv.NewWriter(w).WriteAll(lines) // whoever reads it has left
	return nil
}

func groupLine(g record.Group) []string {
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	name := g.Name
	if g.Other {
		name = "all smaller ones"
	}
	return []string{cell(g.Value), cell(name), n(g.Requests), n(g.Routed), n(g.Baseline), n(g.Kept), n(g.Unpriced)}
}
