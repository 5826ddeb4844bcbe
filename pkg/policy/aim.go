package policy

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Aim is what a rule wants to reach, compared with the baseline: the model that the client
// would use without routing. A rule has an aim in place of a strategy.
type Aim struct {
	Kind AimKind `json:"kind"`
	// Share is the wanted share of the baseline's quality or cost, in thousandths. It is 0
	// for AimBalanced.
	Share int64 `json:"share,omitempty"`
}

// AimKind is what an aim compares with the baseline.
type AimKind string

// These are the kinds of aims.
const (
	AimQuality  AimKind = "quality"  // the cheapest candidate that reaches this share of the baseline's predicted quality; if none does, the best one
	AimCost     AimKind = "cost"     // the best predicted quality at no more than this share of the baseline's expected cost, where 0.95 of the baseline's quality is enough; if no candidate is that cheap, the cheapest one
	AimBalanced AimKind = "balanced" // the best of 4 × quality − cost, each as a share of the baseline's
)

// maxCostAim is the largest share of the baseline's cost, in thousandths. A larger one is
// probably written in percent.
const maxCostAim = 10_000

// isValid reports whether the share fits the kind.
func (a *Aim) isValid() bool {
	switch a.Kind {
	case AimQuality:
		return a.Share > 0 && a.Share <= 1000
	case AimCost:
		return a.Share > 0 && a.Share <= maxCostAim
	}
	return a.Kind == AimBalanced && a.Share == 0
}

// readAim reads "balanced", {quality: 0.97} or {cost: 0.4}.
func (c *compiler) readAim(v value, kind catalog.Kind) *Aim {
	if kind == catalog.Embeddings {
		c.reportProblem(v, CodeBadValue, `"aim" applies to chat routes only: remove it`)
	}
	if _, ok := v.node.(ast.MapNode); !ok {
		return c.readAimWord(v)
	}
	known := len(c.problems)
	f := c.readFields(v, string(AimQuality), string(AimCost))
	quality, hasQuality := f[string(AimQuality)]
	cost, hasCost := f[string(AimCost)]
	switch {
	case hasQuality && hasCost:
		c.reportProblem(cost, CodeBadValue, `an aim has either "quality" or "cost", not both: to bound the quality of a cost aim, add "min_quality" to the rule`)
	case hasQuality:
		return c.readAimShare(quality, AimQuality, "a share of the baseline's quality, more than 0 and at most 1, such as 0.97")
	case hasCost:
		return c.readAimShare(cost, AimCost, "a share of the baseline's cost, more than 0 and at most 10, such as 0.4")
	case len(c.problems) == known:
		c.reportProblem(v, CodeMissingField, "the aim is empty: write balanced, {quality: 0.97} or {cost: 0.4}")
	}
	return nil
}

func (c *compiler) readAimWord(v value) *Aim {
	c.words.addValues(v, string(AimBalanced))
	text, ok := c.readString(v)
	if !ok {
		return nil
	}
	if text != string(AimBalanced) {
		c.reportUnknownName(v, CodeBadValue, text, []string{string(AimBalanced)}, "%q is not an aim: write balanced, {quality: 0.97} or {cost: 0.4}", text)
		return nil
	}
	return &Aim{Kind: AimBalanced}
}

func (c *compiler) readAimShare(v value, kind AimKind, want string) *Aim {
	text, ok := c.readString(v)
	if !ok {
		return nil
	}
	share, err := parseDecimal(text, 3)
	a := &Aim{Kind: kind, Share: share}
	if err != nil || !a.isValid() {
		c.reportProblem(v, CodeBadValue, "must be %s, with at most three decimal places", want)
	}
	return a
}
