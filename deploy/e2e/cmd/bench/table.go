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
	row("must", func(c column) string { return b.formatLimit(c, c.must) })
	row("must, for auto", func(c column) string { return b.formatLimit(c, c.auto) })
	row("aim", func(c column) string { return b.formatLimit(c, c.aim) })
	_ = w.Flush()
}

func (b *bench) formatCell(p peer, c column) string {
	v, ok := b.columnValue(p.name, c)
	if !ok {
		return "-"
	}
	return formatThousands(v) + b.formatVerdict(p, c, v)
}

// formatVerdict says whether the gateway meets its target.
func (b *bench) formatVerdict(p peer, c column, v float64) string {
	switch highest := b.limitOf(p.name, c); {
	case !p.ours || highest == 0:
		return ""
	case v <= highest:
		return " met"
	default:
		return " NOT met"
	}
}

// formatLimit prints the figure and the multiple of ReverseProxy's figure that it comes from.
func (b *bench) formatLimit(c column, l limit) string {
	highest := b.resolveLimit(c, l)
	switch {
	case l == (limit{}):
		return ""
	case highest == 0:
		return fmt.Sprintf("<= %.4g x", l.times)
	case l.times > 0:
		return fmt.Sprintf("<= %s (%.4g x)", formatThousands(highest), l.times)
	}
	return "<= " + formatThousands(highest)
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
