package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// printTable prints a row for each peer, and below what is promised, if
// anything is.
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
		row(p.name, func(c column) string { return b.cell(p, c) })
	}
	row("must", func(c column) string { return atMost(c.must) })
	row("must, for auto", func(c column) string { return atMost(c.auto) })
	row("aim", func(c column) string { return atMost(c.aim) })
	_ = w.Flush()
}

func (b *bench) cell(p peer, c column) string {
	v, ok := b.value(p.name, c)
	if !ok {
		return "-"
	}
	return thousands(v) + mark(p, c, v)
}

// mark tells whether the gateway keeps what is promised of it.
func mark(p peer, c column, v float64) string {
	switch limit := c.limit(p.name); {
	case !p.ours || limit == 0:
		return ""
	case v <= limit:
		return " met"
	default:
		return " NOT met"
	}
}

func atMost(limit float64) string {
	if limit == 0 {
		return ""
	}
	return "<= " + thousands(limit)
}

// thousands is the whole number, with a comma where people look for one.
func thousands(v float64) string {
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
