package decide

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/policy"
)

// verdict says what became of a candidate.
func (j *judgement) verdict() Verdict {
	v := Verdict{Target: j.target, Latency: j.latency, Quality: j.quality, Down: j.down}
	if j.priced {
		v.Predicted = Known(j.cost)
	}
	switch j.number {
	case 0:
		v.Code, v.Text = j.fault()
		return v
	case 1:
		v.Code, v.Text = Chosen, "first that passes"
	default:
		v.Code, v.Text = Reserve, numbered(j.number)
	}
	if j.down != "" {
		v.Text += ", though down: " + j.state()
	}
	return v
}

// firstNumbers are the texts of most reserves, so that none is made for them.
// They never change.
var firstNumbers = [...]string{2: "number 2 of the plan", "number 3 of the plan", "number 4 of the plan", "number 5 of the plan", "number 6 of the plan"}

func numbered(n int) string {
	if n < len(firstNumbers) {
		return firstNumbers[n]
	}
	return "number " + strconv.Itoa(n) + " of the plan"
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
		return BelowQuality, "its quality of " + string(appendShare(nil, j.quality)) + " is below the floor"
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
