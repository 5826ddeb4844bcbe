package explain

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Guard says whether the learned predictor applies to the request.
type Guard struct {
	State GuardState `json:"state"`
	Text  string     `json:"text"`
}

// GuardState is how much the request resembles what the predictor was trained on.
type GuardState string

// The states of the guard.
const (
	// GuardUnused means that the decision used no prediction.
	GuardUnused GuardState = "unused"
	// GuardOutside means that nothing learned applies.
	GuardOutside GuardState = "outside"
	// GuardPartly means that the prediction mixes the learned one with the ratings.
	GuardPartly GuardState = "partly"
	// GuardInside means that the learned prediction applies fully.
	GuardInside GuardState = "inside"
)

// static is what decides where nothing learned applies.
const static = "The ratings of the models in the policy and the catalog decide"

func describeGuard(f Facts) Guard {
	if f.Predictor == "" {
		return Guard{GuardUnused, "No quality was predicted for this request. Qualities are the ratings of the models in the policy and the catalog."}
	}
	resemblance := f.Features.GetOrZero(featureResemblance)
	if resemblance <= 0 {
		return Guard{GuardOutside, explainOutside(f) + " " + static + ", adjusted to how hard the request looks."}
	}
	like := ""
	if c, ok := collectionOf(f.Features); ok {
		like = ": " + c.name
	}
	if resemblance < inside {
		return Guard{GuardPartly, "Partly inside what the predictor was trained on" + like + ". The learned prediction counts " + formatShare(resemblance) + "; the ratings of the models count for the rest."}
	}
	return Guard{GuardInside, "Inside what the predictor was trained on" + like + "."}
}

// explainOutside says why nothing learned applies.
func explainOutside(f Facts) string {
	switch {
	case !strings.Contains(f.Predictor, "+"):
		return "The router has no learned weights."
	case f.Features.GetOrZero("lexical") == 0:
		return "The router did not get the text of the request."
	case hasUntrainedForm(f.Features) != "":
		return "Outside what the predictor was trained on: it learned from single questions, and this is " + hasUntrainedForm(f.Features) + "."
	}
	return "Outside what the predictor was trained on: the text resembles none of it."
}

// hasUntrainedForm names the property of the request that no text of the training has. It is
// empty if there is none.
func hasUntrainedForm(f decide.NamedValues) string {
	switch {
	case f.GetOrZero("tools") > 0:
		return "a request with tools"
	case f.GetOrZero("images") > 0:
		return "a request with images"
	case f.GetOrZero("turns") > 1:
		return "a conversation"
	}
	return ""
}
