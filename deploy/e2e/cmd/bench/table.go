package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
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
	return formatThousands(v)
}

// formatThousands formats a whole number with thousands separators.
func formatThousands(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return sign + text
}
