package openai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxCategories bounds what is told of a filter.
const maxCategories = 16

// detail reads what single vendors tell beside the common members.
func (f *fault) detail(s *scanner) {
	switch string(s.name) {
	case "violations", "fieldViolations":
		f.inside(s)
	case "field":
		f.about(text(s.value()))
	case "quotaId":
		f.daily = strings.Contains(text(s.value()), "PerDay") || f.daily
	case "retryDelay":
		f.delay, _ = words(text(s.value()))
	case "raw":
		f.more = head(f.more+" "+text(s.value()), maxUpstreamText)
	case "reasons":
		f.reasons(s)
	case "content_filter_result", "content_filter_results":
		f.filters(s)
	case "n_ctx":
		f.limit, _ = integer(s.value())
	case "n_prompt_tokens":
		f.requested, _ = integer(s.value())
	default:
		s.value()
	}
}

func (f *fault) about(param string) {
	if f.param == "" {
		f.param = param
	}
}

// location is a path in the body, by its steps.
func (f *fault) location(s *scanner) {
	if !s.open(jsontext.KindBeginArray) {
		s.value()
		return
	}
	var steps []string
	for s.element() {
		v := s.value()
		if step := string(v); isText(v) {
			step = text(v)
			if step != "body" {
				steps = append(steps, step)
			}
		} else {
			steps = append(steps, step)
		}
	}
	f.about(strings.Join(steps, "."))
}

// reasons are what a moderation found, where it is a list.
func (f *fault) reasons(s *scanner) {
	if !s.open(jsontext.KindBeginArray) {
		s.value()
		return
	}
	for s.element() {
		f.category(text(s.value()))
	}
	f.words += "content_filter "
}

// filters are the filters of a vendor, by name, with whether each one struck.
func (f *fault) filters(s *scanner) {
	if !s.open(jsontext.KindBeginObject) {
		s.value()
		return
	}
	for s.member() {
		name := string(s.name)
		if !s.open(jsontext.KindBeginObject) {
			s.value()
			continue
		}
		for s.member() {
			struck := string(s.name) == "filtered"
			if v := s.value(); struck && string(v) == "true" {
				f.category(name)
			}
		}
	}
}

func (f *fault) category(name string) {
	if readable(name) != "" && len(f.categories) < maxCategories {
		f.categories = append(f.categories, head(name, maxWord))
	}
}
