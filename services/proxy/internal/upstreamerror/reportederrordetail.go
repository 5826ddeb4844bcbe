package upstreamerror

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxCategories limits how many findings of a content filter are reported.
const maxCategories = 16

// readVendorDetail reads members that only some vendors send.
func (f *reportedError) readVendorDetail(s *jsonscan.Reader) {
	switch string(s.Name()) {
	case "violations", "fieldViolations":
		f.readNested(s)
	case "field":
		f.setParam(jsonscan.DecodeText(s.Value()))
	case "quotaId":
		f.isDaily = strings.Contains(jsonscan.DecodeText(s.Value()), "PerDay") || f.isDaily
	case "retryDelay":
		f.delay, _ = parseDelayText(jsonscan.DecodeText(s.Value()))
	case "raw":
		f.extraText = truncateText(f.extraText+" "+jsonscan.DecodeText(s.Value()), maxUpstreamText)
	case "reasons":
		f.readFilterReasons(s)
	case "content_filter_result", "content_filter_results":
		f.readFilterResults(s)
	case "n_ctx":
		f.limit, _ = jsonscan.ParseInteger(s.Value())
	case "n_prompt_tokens":
		f.requested, _ = jsonscan.ParseInteger(s.Value())
	default:
		s.Value()
	}
}

func (f *reportedError) setParam(param string) {
	if f.param == "" {
		f.param = param
	}
}

// readLocation reads the path of a field in the body, given as an array of names and
// indexes.
func (f *reportedError) readLocation(s *jsonscan.Reader) {
	if !s.Enter(jsonscan.BeginArray) {
		s.Value()
		return
	}
	var steps []string
	for s.NextElement() {
		v := s.Value()
		if step := string(v); jsonscan.IsString(v) {
			step = jsonscan.DecodeText(v)
			if step != "body" {
				steps = append(steps, step)
			}
		} else {
			steps = append(steps, step)
		}
	}
	f.setParam(strings.Join(steps, "."))
}

// readFilterReasons reads the findings of a moderation service, given as a list.
func (f *reportedError) readFilterReasons(s *jsonscan.Reader) {
	if !s.Enter(jsonscan.BeginArray) {
		s.Value()
		return
	}
	for s.NextElement() {
		f.addCategory(jsonscan.DecodeText(s.Value()))
	}
	f.names += "content_filter "
}

// readFilterResults reads the results of content filters: an object with one member per
// filter. Each member is an object with the boolean "filtered".
func (f *reportedError) readFilterResults(s *jsonscan.Reader) {
	if !s.Enter(jsonscan.BeginObject) {
		s.Value()
		return
	}
	for s.NextMember() {
		name := string(s.Name())
		if !s.Enter(jsonscan.BeginObject) {
			s.Value()
			continue
		}
		for s.NextMember() {
			isVerdict := string(s.Name()) == "filtered"
			if v := s.Value(); isVerdict && string(v) == "true" {
				f.addCategory(name)
			}
		}
	}
}

func (f *reportedError) addCategory(name string) {
	if textOrEmpty(name) != "" && len(f.categories) < maxCategories {
		f.categories = append(f.categories, truncateText(name, maxErrorNameLength))
	}
}
