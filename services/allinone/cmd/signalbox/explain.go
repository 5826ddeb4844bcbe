package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// explain is all that the catalog knows of a model, place by place, with what
// it does not know.
func explain(cat *catalog.Catalog, m catalog.Entry, now time.Time) [][]string {
	rows := [][]string{{m.ID, m.Name}}
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, []string{"  " + label, text})
		}
	}
	add("kind", string(m.Kind))
	add("also named", strings.Join(m.Aliases, ", "))
	add("weights", m.Family)
	add("context", fmt.Sprintf("%d tokens, at most %s out", m.Context, orUnknown(m.MaxOutput)))
	add("takes, gives", strings.Join(m.Takes, ",")+" -> "+strings.Join(m.Gives, ","))
	add("can", abilities(m.Capabilities, nil))
	add("not known", abilities(m.Unknown, nil))
	add("efforts", strings.Join(m.Efforts, ", "))
	if m.Dimensions > 0 {
		add("dimensions", strconv.FormatInt(m.Dimensions, 10))
	}
	add("tokenizer", m.Tokenizer)
	add("knows until", m.Knowledge)
	add("life", life(m.Lifecycle, now))
	add("quality", quality(m.Quality))
	add("quality from", m.QualitySource)
	for _, e := range m.Endpoints {
		rows = append(rows, []string{""}, []string{"at " + e.Provider, e.Model})
		rows = append(rows, explainPlace(cat, m, e, now)...)
	}
	return append(rows, explainFigures(m.Figures)...)
}

func orUnknown(n int64) string {
	if n == 0 {
		return "an unknown number"
	}
	return strconv.FormatInt(n, 10)
}

// life says where a model is, and how long it has left.
func life(l catalog.Lifecycle, now time.Time) string {
	text := cmp.Or(string(l.Status), "not known")
	if l.Released != "" {
		text += ", released " + l.Released
	}
	if end, err := time.Parse(time.DateOnly, l.Retires); err == nil {
		text += fmt.Sprintf(", ends %s (in %d days)", l.Retires, int(end.Sub(now).Hours()/24))
	}
	if l.Replacement != "" {
		text += ", replaced by " + l.Replacement
	}
	return text
}

func quality(topics map[string]int64) string {
	var parts []string
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		parts = append(parts, fmt.Sprintf("%s 0.%03d", topic, topics[topic]))
	}
	return strings.Join(parts, ", ")
}

func explainPlace(cat *catalog.Catalog, m catalog.Entry, e catalog.Endpoint, now time.Time) [][]string {
	var rows [][]string
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, []string{"  " + label, text})
		}
	}
	inForce, _ := catalog.InForce(pricesAt(m, e), now)
	for _, p := range pricesAt(m, e) {
		label := "price since"
		switch {
		case p.Effective.After(now):
			label = "price from"
		case !p.Effective.Equal(inForce.Effective):
			label = "price before, since"
		}
		add(label+" "+p.Effective.Format(time.DateOnly), amounts(p)+from(cat, p.Source))
		for _, t := range p.Tiers {
			add(fmt.Sprintf("  above %d tokens in", t.Above), amounts(p.For(catalog.Usage{Input: t.Above + 1})))
		}
	}
	add("confidence", e.Confidence)
	if e.Context != 0 || e.MaxOutput != 0 {
		add("context", fmt.Sprintf("%d tokens, at most %s out", cmp.Or(e.Context, m.Context), orUnknown(cmp.Or(e.MaxOutput, m.MaxOutput))))
	}
	add("lacks", abilities(e.Lacks, nil))
	add("not known", abilities(e.Unknown, nil))
	for _, c := range e.Conflicts {
		add("sources differ on "+c.Field, differ(c))
	}
	add("note", e.Note)
	return rows
}

func amounts(p catalog.Price) string {
	text := fmt.Sprintf("$%s in, $%s out, $%s from a cache, $%s into it", catalog.PerMillion(p.Input),
		catalog.PerMillion(p.Output), catalog.PerMillion(p.CacheRead), catalog.PerMillion(p.CacheWrite))
	if p.CacheWrite1h != 0 {
		text += ", $" + catalog.PerMillion(p.CacheWrite1h) + " for an hour"
	}
	return text + " per 1M"
}

func from(cat *catalog.Catalog, id string) string {
	s, ok := cat.Source(id)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", s.Title, s.Date)
}

// differ has what each source says: dollars per million for prices, tokens for
// sizes.
func differ(c catalog.Conflict) string {
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(c.Values)) {
		said := strconv.FormatInt(c.Values[id], 10)
		if c.Field != "context_window" && c.Field != "max_output" {
			said = "$" + catalog.PerMillion(c.Values[id])
		}
		parts = append(parts, id+" "+said)
	}
	return strings.Join(parts, ", ")
}

func explainFigures(figures []catalog.Figure) [][]string {
	if len(figures) == 0 {
		return nil
	}
	rows := [][]string{{""}, {"measured by others", "these do not compare with one another"}}
	for _, f := range figures {
		name := f.Name
		if f.Effort != "" {
			name += " (" + f.Effort + ")"
		}
		rows = append(rows, []string{"  " + name, strconv.FormatFloat(f.Value, 'f', -1, 64) + "  " + strings.TrimSpace(f.Date+" "+f.Source)})
	}
	return rows
}
