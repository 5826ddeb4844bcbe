package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// printTable prints a row for each peer and, below, the targets if there are any.
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
	row("must", func(c column) string { return formatLimit(c.must) })
	row("must, for auto", func(c column) string { return formatLimit(c.auto) })
	row("aim", func(c column) string { return formatLimit(c.aim) })
	_ = w.Flush()
}

func (b *bench) formatCell(p peer, c column) string {
	v, ok := b.columnValue(p.name, c)
	if !ok {
		return "-"
	}
	return formatThousands(v) + formatVerdict(p, c, v)
}

// formatVerdict says whether the gateway meets its target.
func formatVerdict(p peer, c column, v float64) string {
	switch limit := c.limit(p.name); {
	case !p.ours || limit == 0:
		return ""
	case v <= limit:
		return " met"
	default:
		return " NOT met"
	}
}

func formatLimit(limit float64) string {
	if limit == 0 {
		return ""
	}
	return "<= " + formatThousands(limit)
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
