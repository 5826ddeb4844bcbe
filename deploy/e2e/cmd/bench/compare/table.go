package compare

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
)

// printTable prints a row for each peer.
func (b *bench) printTable(cols []column) {
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, cell func(column) string) {
		var cells []string
		for _, c := range cols {
			cells = append(cells, cell(c))
		}
		if strings.Join(cells, "") != "" {
			fmt.Fprintf(w, "%-16s\t%s\t\n", name, strings.Join(cells, "\t"))
		}
	}
	b.printf("\n")
	row("", func(c column) string { return c.under })
	row("", func(c column) string { return c.name })
	for _, p := range b.peers {
		row(p.name, func(c column) string { return b.formatCell(p, c) })
	}
	_ = w.Flush()
}

func (b *bench) formatCell(p peer, c column) string {
	v, ok := b.columnValue(p.name, c)
	if !ok {
		return "-"
	}
	return stats.FormatThousands(v)
}
