package openai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxCategories limits how many findings of a content filter are reported.
const maxCategories = 16

// readVendorDetail reads members that only some vendors send.
func (f *reportedError) readVendorDetail(s *scanner) {
	switch string(s.name) {
	case "violations", "fieldViolations":
		f.readNested(s)
	case "field":
		f.setParam(decodeString(s.readValue()))
	case "quotaId":
		f.isDaily = strings.Contains(decodeString(s.readValue()), "PerDay") || f.isDaily
	case "retryDelay":
		f.delay, _ = parseDelayText(decodeString(s.readValue()))
	case "raw":
		f.extraText = truncateText(f.extraText+" "+decodeString(s.readValue()), maxUpstreamText)
	case "reasons":
		f.readFilterReasons(s)
	case "content_filter_result", "content_filter_results":
		f.readFilterResults(s)
	case "n_ctx":
		f.limit, _ = parseInteger(s.readValue())
	case "n_prompt_tokens":
		f.requested, _ = parseInteger(s.readValue())
	default:
		s.readValue()
	}
}

func (f *reportedError) setParam(param string) {
	if f.param == "" {
		f.param = param
	}
}

// readLocation reads the path of a field in the body, given as an array of names and
// indexes.
func (f *reportedError) readLocation(s *scanner) {
	if !s.enter(jsontext.KindBeginArray) {
		s.readValue()
		return
	}
	var steps []string
	for s.nextElement() {
		v := s.readValue()
		if step := string(v); isString(v) {
			step = decodeString(v)
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
func (f *reportedError) readFilterReasons(s *scanner) {
	if !s.enter(jsontext.KindBeginArray) {
		s.readValue()
		return
	}
	for s.nextElement() {
		f.addCategory(decodeString(s.readValue()))
	}
	f.names += "content_filter "
}

// readFilterResults reads the results of content filters: an object with one member per
// filter. Each member is an object with the boolean "filtered".
func (f *reportedError) readFilterResults(s *scanner) {
	if !s.enter(jsontext.KindBeginObject) {
		s.readValue()
		return
	}
	for s.nextMember() {
		name := string(s.name)
		if !s.enter(jsontext.KindBeginObject) {
			s.readValue()
			continue
		}
		for s.nextMember() {
			isVerdict := string(s.name) == "filtered"
			if v := s.readValue(); isVerdict && string(v) == "true" {
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
