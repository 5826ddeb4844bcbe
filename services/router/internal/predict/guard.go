package predict

// Guard says how much a text resembles the texts of a collection. A text that is less
// similar than nearly all of them is outside.
type Guard struct {
	// MemberOut and MemberIn are the memberships at which a text is outside and inside.
	MemberOut int64 `json:"member_out"`
	MemberIn  int64 `json:"member_in"`
	// DistanceIn and DistanceOut are the distances of the style at which a text is inside
	// and outside.
	DistanceIn  int64 `json:"distance_in"`
	DistanceOut int64 `json:"distance_out"`
}

// Inside is the guard's value for a text that resembles the collection fully.
const Inside = 1000

// similarity returns a number from 0 (outside) to Inside.
func (g *Guard) similarity(membership, distance int64) int64 {
	return min(ramp(membership, g.MemberOut, g.MemberIn), ramp(-distance, -g.DistanceOut, -g.DistanceIn))
}

// ramp returns 0 up to low and Inside from high on.
func ramp(v, low, high int64) int64 {
	switch {
	case v >= high:
		return Inside
	case v <= low:
		return 0
	}
	return (v - low) * Inside / (high - low)
}
