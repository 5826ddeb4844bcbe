package decide

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// verdict says what became of a candidate.
func (j *judgement) verdict() Verdict {
	v := Verdict{Target: j.target, Latency: j.latency, Quality: j.quality, Down: j.down}
	if j.priced {
		v.Predicted = &j.cost
	}
	switch v.Code, v.Text = j.fault(); {
	case j.number == 1:
		v.Code, v.Text = Chosen, "first that passes"
	case j.number > 1:
		v.Code, v.Text = Reserve, "number "+strconv.Itoa(j.number)+" of the plan"
	}
	if j.number > 0 && j.down != "" {
		v.Text += ", though down: " + j.state()
	}
	return v
}

// fault is what keeps a candidate out, or nothing.
func (j *judgement) fault() (code, text string) {
	switch {
	case !j.allowed:
		return NotAllowed, "the key may not use it"
	case j.demand != nil:
		return ExcludedByRule, j.demand.text()
	case j.obstacle.code != "":
		return j.obstacle.code, j.obstacle.text
	case j.below:
		return BelowQuality, "its quality of " + share(j.quality) + " is below the floor"
	case j.overLimit():
		return OverLimit, j.state()
	case j.down != "":
		return Unhealthy, j.down
	}
	return "", ""
}

// state is why a target is down, in words.
func (j *judgement) state() string {
	if !j.overLimit() {
		return j.down
	}
	return cmp.Or(strings.TrimLeft(strings.TrimPrefix(j.down, OverLimit), ": "), "its provider is at its limit")
}

func wanted(r *policy.Requirement) string {
	switch r.Field {
	case policy.RequireContext:
		return fmt.Sprintf("a context of %d", r.Min)
	case policy.RequireCapabilities:
		return strings.Join(r.In, " and ")
	}
	return r.Field + " " + strings.Join(r.In, " or ")
}

// share is thousandths as a person writes them.
func share(n int64) string {
	text := fmt.Sprintf("%d.%03d", n/1000, n%1000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

func (t Target) text() string { return t.Model + " at " + t.Provider }

func costText(j *judgement) string {
	if !j.priced {
		return "has no price, and nor has any other"
	}
	return "costs least, about " + catalog.USD(j.cost) + " USD,"
}

func qualityText(j *judgement) string { return "has the best quality, " + share(j.quality) + "," }

func latencyText(j *judgement) string {
	if j.latency == 0 {
		return "is taken to be the fastest"
	}
	return "is the fastest, with about " + strconv.FormatInt(j.latency/1000, 10) + " ms to the first token,"
}

// reason is one sentence for a person. Its rule is the one that made the plan,
// or that kept the otherwise first choice out of it.
func (f *field) reason(unbound *judgement) Reason {
	c, first := f.c, f.planned[0]
	r := Reason{Rule: c.label}
	if d := unbound.demand; d != nil && d.rule != "" && !c.conditional() {
		r.Rule = d.rule
	}
	who := first.target.text()
	switch {
	case first.reserve:
		r.Code, r.Text = ReasonReserve, who+" stands in because no candidate of "+c.name+" passes"
	case c.explicit:
		r.Code, r.Text = ReasonExplicit, "The request named "+c.name+"; "+first.target.Provider+" serves it"
	case c.rule.Target != "":
		r.Code, r.Text = ReasonTarget, who+" is the target"
	case first == f.moved:
		r.Code, r.Text = ReasonSticky, who+" has served this conversation before and may have it cached"
	default:
		r.Code, r.Text = f.ranked(first)
	}
	if c.conditional() {
		r.Text = "Rule " + c.label + " applies, as " + told(f.q, c.rule) + ": " + r.Text
	}
	r.Text += f.tail(first)
	return r
}

// ranked says what the strategy found, and whether the floor was reached.
func (f *field) ranked(first *judgement) (code, text string) {
	s, r, who := strategyOf(f.c.rule.Strategy), f.c.rule, first.target.text()
	switch {
	case r.MinQuality > 0 && first.quality < r.MinQuality:
		return s.reason, "No candidate of " + f.c.name + " that could serve reaches a quality of " + share(r.MinQuality) + "; " + who + " comes nearest, with " + share(first.quality)
	case r.MinQuality > 0:
		return s.reason, who + " " + s.because(first) + " of the candidates of " + f.c.name + " that reach a quality of " + share(r.MinQuality)
	case s.reason == ReasonOrdered:
		return s.reason, who + " is the first candidate of " + f.c.name + " that passes"
	}
	return s.reason, who + " " + s.because(first) + " of the candidates of " + f.c.name
}

// tail tells what came before the chosen one, and its own state.
func (f *field) tail(first *judgement) string {
	switch {
	case first.kept:
		return ", although it is down (" + first.state() + "), to which the route's affinity does not yield."
	case first.down != "":
		return ", although it is down (" + first.state() + "): nothing else is up."
	case first == f.moved && len(f.planned) > 1:
		return "; otherwise " + f.planned[1].target.text() + " would be first."
	}
	if before := f.order[0]; before != first {
		_, why := before.fault()
		return "; before it, " + before.target.text() + " was left out: " + why + "."
	}
	return "."
}
