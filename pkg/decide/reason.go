package decide

import (
	"bytes"
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// say adds words to the sentence.
func (f *field) say(words ...string) {
	for _, w := range words {
		f.text = append(f.text, w...)
	}
}

func (f *field) sayShare(n int64) { f.text = appendShare(f.text, n) }

// appendShare writes thousandths as a person does.
func appendShare(dst []byte, n int64) []byte {
	dst = append(strconv.AppendInt(dst, n/1000, 10), '.')
	part, least := n%1000, int64(100)
	if part < 0 {
		dst, part, least = append(dst, '-'), -part, 10
	}
	for ; part < least && least > 1; least /= 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, part, 10)
	return bytes.TrimRight(bytes.TrimRight(dst, "0"), ".")
}

func (f *field) sayCost(j *judgement) {
	if !j.priced {
		f.say("has no price, and nor has any other")
		return
	}
	f.say("costs least, about ")
	f.text = catalog.AppendUSD(f.text, j.cost)
	f.say(" USD,")
}

func (f *field) sayQuality(j *judgement) {
	f.say("has the best quality, ")
	f.sayShare(j.quality)
	f.say(",")
}

func (f *field) sayLatency(j *judgement) {
	if j.latency == 0 {
		f.say("is taken to be the fastest")
		return
	}
	f.say("is the fastest, with about ")
	f.text = strconv.AppendInt(f.text, j.latency/1000, 10)
	f.say(" ms to the first token,")
}

// sayWho names a target.
func (f *field) sayWho(j *judgement) { f.say(j.target.Model, " at ", j.target.Provider) }

// reason is one sentence for a person. Its rule is the one that made the plan,
// or that kept the otherwise first choice out of it.
func (f *field) reason(unbound *judgement) Reason {
	c, first := &f.c, f.planned[0]
	r := Reason{Rule: c.label}
	if d := unbound.demand; d != nil && d.rule != "" && !c.conditional() {
		r.Rule = d.rule
	}
	if c.conditional() {
		f.say("Rule ", c.label, " applies, as ")
		f.sayMet()
		f.say(": ")
	}
	r.Code = f.sayWhy(first)
	f.sayTail(first)
	r.Text = string(f.text)
	return r
}

// sayWhy tells how the first one came to be it, and returns the code of that.
func (f *field) sayWhy(first *judgement) string {
	switch c := &f.c; {
	case first.reserve:
		f.sayWho(first)
		f.say(" stands in because no candidate of ", c.name, " passes")
		return ReasonReserve
	case c.explicit:
		f.say("The request named ", c.name, "; ", first.target.Provider, " serves it")
		return ReasonExplicit
	case c.rule.Target != "":
		f.sayWho(first)
		f.say(" is the target")
		return ReasonTarget
	case first == f.moved:
		f.sayWho(first)
		f.say(" has served this conversation before and may have it cached")
		return ReasonSticky
	}
	return f.sayRank(first)
}

// sayRank says what the strategy found, and whether the floor was reached.
func (f *field) sayRank(first *judgement) string {
	s, r := strategyOf(f.c.rule.Strategy), f.c.rule
	if r.MinQuality > 0 && first.quality < r.MinQuality {
		f.say("No candidate of ", f.c.name, " that could serve reaches a quality of ")
		f.sayShare(r.MinQuality)
		f.say("; ")
		f.sayWho(first)
		f.say(" comes nearest, with ")
		f.sayShare(first.quality)
		return s.reason
	}
	f.sayWho(first)
	f.say(" ")
	if s.reason == ReasonOrdered && r.MinQuality <= 0 {
		f.say("is the first candidate of ", f.c.name, " that passes")
		return s.reason
	}
	s.because(f, first)
	f.say(" of the candidates of ", f.c.name)
	if r.MinQuality > 0 {
		f.say(" that reach a quality of ")
		f.sayShare(r.MinQuality)
	}
	return s.reason
}

// sayTail tells what came before the chosen one, and its own state.
func (f *field) sayTail(first *judgement) {
	before := f.order[0]
	switch {
	case first.kept:
		f.say(", although it is down (", first.state(), "), to which the route's affinity does not yield.")
	case first.down != "":
		f.say(", although it is down (", first.state(), "): nothing else is up.")
	case first == f.moved && len(f.planned) > 1:
		f.say("; otherwise ")
		f.sayWho(f.planned[1])
		f.say(" would be first.")
	case before != first:
		_, why := before.fault()
		f.say("; before it, ")
		f.sayWho(before)
		f.say(" was left out: ", why, ".")
	default:
		f.say(".")
	}
}
