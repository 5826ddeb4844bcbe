package decide

import "fmt"

// verdict says what became of a candidate; planned is the length of the plan
// once it was considered.
func (j judgement) verdict(planned int) Verdict {
	v := Verdict{Target: j.target, Predicted: j.predicted}
	switch {
	case !j.allowed:
		v.Code, v.Text = NotAllowed, "the key may not use it"
	case j.obstacle.code != "":
		v.Code, v.Text = j.obstacle.code, j.obstacle.text
	case j.down != "":
		v.Code, v.Text = Unhealthy, j.down
	case planned == 1:
		v.Code, v.Text = Chosen, "first that passes"
	default:
		v.Code, v.Text = Reserve, fmt.Sprintf("number %d of the plan", planned)
	}
	return v
}

// reason is one sentence for a person.
func reason(c choice, judged []judgement, first Target) Reason {
	skipped := 0
	for judged[skipped].target != first {
		skipped++
	}
	chosen := judged[skipped]
	tail := "."
	if skipped > 0 {
		before := judged[0]
		tail = fmt.Sprintf("; before it, %s at %s was left out: %s.", before.target.Model, before.target.Provider, before.verdict(0).Text)
	}
	switch {
	case chosen.reserve:
		text := fmt.Sprintf("%s at %s stands in because no candidate of %s passes%s", first.Model, first.Provider, c.name, tail)
		return Reason{Code: ReasonReserve, Text: text, Rule: c.rule}
	case c.explicit:
		text := fmt.Sprintf("The request named %s; %s serves it%s", c.name, first.Provider, tail)
		return Reason{Code: ReasonExplicit, Text: text}
	}
	text := fmt.Sprintf("%s at %s is the first candidate of %s that passes%s", first.Model, first.Provider, c.name, tail)
	return Reason{Code: ReasonOrdered, Text: text, Rule: c.rule}
}
