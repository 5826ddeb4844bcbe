package predict

// Predict returns the probability of a good response, in units of 1/1000000. The reading must
// have a similarity above 0.
func (r *Reading) Predict(c Candidate) int64 {
	p := r.predict(c, r.collection.headOf(c.Model, anyPanel))
	return min(max(p, one/200), one-one/200) * 1_000_000 / one
}

// Gap returns how much more probable a good response of the strong model is, in units of
// 1/1000000. The outcomes of both count only if they are of the same panel.
func (r *Reading) Gap(strong, weak Candidate) int64 {
	a, b := r.collection.headsOf(strong.Model, weak.Model)
	return (r.predict(strong, a) - r.predict(weak, b)) * 1_000_000 / one
}

// TypicalGaps returns the mean gap between two models over the collections that know them,
// and the mean static gap of the same collections. Both are in units of 1/1000000. If no
// collection compared the models, their abilities count, in all collections that are not
// strict.
func (p *Predictor) TypicalGaps(strong, weak Candidate) (learned, static int64) {
	measured, n := false, int64(0)
	for i := range p.weights.Collections {
		c := &p.weights.Collections[i]
		a, b := c.headsOf(strong.Model, weak.Model)
		if a > 0 && !measured {
			measured, learned, static, n = true, 0, 0, 0
		}
		if measured == (a > 0) && (measured || !c.Strict) {
			learned, static, n = learned+c.typicalGap(strong, weak, a, b), static+c.StaticGap, n+1
		}
	}
	return learned / max(n, 1), static / max(n, 1)
}

// typicalGap returns the mean gap of two models with heads a and b, or of their abilities if
// there are none.
func (c *Collection) typicalGap(strong, weak Candidate, a, b int) int64 {
	gap := c.Heads.Heads[a].Rate - c.Heads.Heads[b].Rate
	if a == 0 {
		gap = c.byAbility(strong.Ability, 0) - c.byAbility(weak.Ability, 0)
	}
	return gap * 1_000_000 / one
}

// byAbility returns the probability of a good response of a model without outcomes.
func (c *Collection) byAbility(ability, ease int64) int64 {
	return logistic(c.Base + c.Slope*min(max(ability, 0), 1000) + ease)
}

// predict returns the probability by a head. Without one, 0, it follows from the ability.
func (r *Reading) predict(c Candidate, head int) int64 {
	if head > 0 {
		return min(max(r.collection.Heads.value(&r.in, head), 0), one)
	}
	return r.collection.byAbility(c.Ability, r.ease())
}

// ease returns how much easier the text is than the average one of its collection, in logits.
func (r *Reading) ease() int64 { return r.collection.Heads.value(&r.in, 0) }

const anyPanel = -1

// headOf returns the head of a model in a panel, or 0 if it has no outcomes there.
func (c *Collection) headOf(model, panel int) int {
	for i := 1; i < len(c.Heads.Heads) && model >= 0; i++ {
		if h := &c.Heads.Heads[i]; h.Model == model && (panel == anyPanel || h.Panel == panel) {
			return i
		}
	}
	return 0
}

// headsOf returns the heads of two models in the same panel, or 0 and 0.
func (c *Collection) headsOf(strong, weak int) (a, b int) {
	for i := 1; i < len(c.Heads.Heads) && strong >= 0; i++ {
		if h := &c.Heads.Heads[i]; h.Model == strong {
			if other := c.headOf(weak, h.Panel); other > 0 {
				return i, other
			}
		}
	}
	return 0, 0
}
