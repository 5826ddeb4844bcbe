package decidewire

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
)

// ReadMessage takes an answer. All texts of it share the memory of the message.
func (a *Answer) ReadMessage(message string) error {
	*a = Answer{}
	return fields(message, func(f field) error {
		switch f.number {
		case 1:
			a.ID = f.num
		case 2:
			return fields(f.text, a.response)
		case 3:
			return a.refuse(f)
		}
		return nil
	})
}

func (a *Answer) response(f field) error {
	if f.number != 1 {
		return nil
	}
	return a.take(f.text)
}

// take reads a decision twice: to know how much room it needs, and then into
// that.
func (a *Answer) take(message string) error {
	var n [13]int
	err := fields(message, func(f field) error {
		if int(f.number) < len(n) {
			n[f.number]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	d := &a.Decision
	d.Plan, d.Verdicts = slices.Grow(d.Plan, n[1]), slices.Grow(d.Verdicts, n[5])
	d.Features, d.Qualities = slices.Grow(d.Features, n[10]), slices.Grow(d.Qualities, n[12])
	err = fields(message, a.decision)
	d.Features, d.Qualities = d.Features.SortUnique(), d.Qualities.SortUnique()
	return err
}

func (a *Answer) decision(f field) (err error) {
	d := &a.Decision
	switch f.number {
	case 1:
		var t decide.Candidate
		err = f.texts(&t.Model, &t.Provider)
		d.Plan = append(d.Plan, t)
	case 2:
		err = f.texts(&d.HealthyFirst.Model, &d.HealthyFirst.Provider)
	case 3:
		err = f.texts(&d.Reason.Code, &d.Reason.Text, &d.Reason.Rule)
	case 4:
		d.PolicyControlled = f.num != 0
	case 5:
		var v decide.Verdict
		err = readVerdict(&v, f.text)
		d.Verdicts = append(d.Verdicts, v)
	case 6:
		d.Baseline = f.text
	case 7:
		d.PolicyVersion = f.text
	case 8:
		d.CatalogVersion = f.text
	case 9:
		d.EngineVersion = f.text
	case 10:
		err = f.count(&d.Features)
	case 11:
		d.Sticky, err = f.target()
	case 12:
		err = f.count(&d.Qualities)
	case 13:
		d.Predictor = f.text
	}
	return err
}

func readVerdict(v *decide.Verdict, message string) error {
	return fields(message, func(f field) error {
		switch f.number {
		case 1:
			return f.texts(&v.Candidate.Model, &v.Candidate.Provider)
		case 2:
			v.Code = f.text
		case 3:
			v.Text = f.text
		case 4:
			v.PredictedCost = decide.KnownInt(f.signed())
		case 5:
			v.Latency = f.signed()
		case 6:
			v.Quality = f.signed()
		case 7:
			v.DownReason = f.text
		}
		return nil
	})
}

// refuse rebuilds the other side's verdict on a request.
func (a *Answer) refuse(f field) error {
	var code, text, details, known string
	if err := f.texts(&code, &text, &details, &known); err != nil {
		return err
	}
	if err := a.take(known); err != nil {
		return err
	}
	e := apperr.New(apperr.Code(code), text)
	if !e.Code.IsKnown() {
		a.Refusal = errors.New("the router refused with an unknown code")
		return nil
	}
	_ = json.Unmarshal([]byte(details), &e.Details)
	a.Refusal = e
	return nil
}
