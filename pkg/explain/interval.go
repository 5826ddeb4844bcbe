package explain

// Interval is where the quality of a candidate probably is, in thousandths. Low and High are
// one typical error away from the prediction, so that about two of three intervals contain
// the quality.
type Interval struct {
	Low, High int64
}

// outsideError is the typical error of a prediction where nothing learned applies, in
// thousandths. It is that of the collection whose models follow their ratings least:
// programming exercises, 0.167.
const outsideError = 170

// IntervalOf returns the interval of a candidate's quality. It returns false if the quality
// was not predicted, but is the rating of the policy or the catalog.
func (f Facts) IntervalOf(model string, quality int64) (Interval, bool) {
	if _, isPredicted := f.Qualities.Get(model); !isPredicted || f.Predictor == "" {
		return Interval{}, false
	}
	resemblance := min(max(f.Features.GetOrZero(featureResemblance), 0), inside)
	learned := min(max(f.Features.GetOrZero(featureError), 0), inside)
	e := (learned*resemblance + outsideError*(inside-resemblance)) / inside
	return Interval{max(quality-e, 0), min(quality+e, max(quality, 1000))}, true
}
