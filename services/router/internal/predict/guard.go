package predict

// Guard says how much a text resembles the texts of a collection. A text that is less
// similar than nearly all of them is outside.
type Guard struct {
	// MemberOut and MemberIn are the memberships at which a text is outside and inside.
	MemberOut int64 `json:"member_out"`
	MemberIn  int64 `json:"member_in"`
	// MemberLow and MemberTypical are the memberships that nine of ten texts and one half of
	// the texts of the collection exceed.
	MemberLow     int64 `json:"member_low"`
	MemberTypical int64 `json:"member_typical"`
	// SurpriseIn and SurpriseOut are the surprises of the words at which a text is inside and
	// outside.
	SurpriseIn  int64 `json:"surprise_in"`
	SurpriseOut int64 `json:"surprise_out"`
	// DistanceIn and DistanceOut are the same for the distance of the style.
	DistanceIn  int64 `json:"distance_in"`
	DistanceOut int64 `json:"distance_out"`
}

// standing compares a membership with those of the texts of the collection: 0 is low, 1000 is
// typical. A text belongs to the collection in which it stands highest.
// Memberships themselves do not compare: a collection of diverse texts has low ones.
func (g *Guard) standing(membership int64) int64 {
	return (membership - g.MemberLow) * 1000 / max(g.MemberTypical-g.MemberLow, one/100)
}

// Inside is the guard's value for a text that resembles the collection fully.
const Inside = 1000

// similarity returns a number from 0 (outside) to Inside. Memberships compare collections with
// each other, so a text of an unknown kind can have a high one. Surprise and distance
// notice it: they are about the collection alone.
func (c *Collection) similarity(in *input, membership int64) int64 {
	g := &c.Guard
	return min(ramp(membership, g.MemberOut, g.MemberIn), ramp(-c.surprise(in), -g.SurpriseOut, -g.SurpriseIn),
		ramp(-c.distance(in), -g.DistanceOut, -g.DistanceIn))
}

// surprise returns the mean surprise of the words, in units of 1/256.
func (c *Collection) surprise(in *input) int64 {
	sum := int64(0)
	for _, row := range in.rows {
		sum += int64(c.Surprise[row])
	}
	return sum * 16 / int64(max(len(in.rows), 1))
}

// distance returns the squared Mahalanobis distance of the style, divided by the number of
// features, in units of 1/256. It is about 256 for a text of the collection.
func (c *Collection) distance(in *input) int64 {
	n, sum := len(in.style), int64(0)
	var offsets [maxStyles]int64
	for j, value := range in.style {
		offsets[j] = min(max(int64(value)-int64(c.Heads.Mean[j]), -maxOffset), maxOffset)
	}
	for i := range n {
		row := int64(0)
		for j, p := range c.Precision[i*n : (i+1)*n] {
			row += int64(p) * offsets[j]
		}
		sum += row * offsets[i]
	}
	return sum / (256 * precisionOne) / int64(max(n, 1))
}

const (
	// maxStyles bounds the number of style features.
	maxStyles = 64
	// maxOffset limits the difference of a style feature to its mean, so that sums do not
	// overflow.
	maxOffset = 16 << 8
)

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
