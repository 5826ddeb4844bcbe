package docsite

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `{"pages": [
	{"url": "/docs", "title": "Documentation", "html": "<h1>Documentation</h1>", "sections": [{"title": "Documentation", "level": 1, "text": "Everything."}]},
	{"url": "/docs/limits", "group": "Use", "title": "Limits", "html": "", "sections": [
		{"title": "Limits", "level": 1, "text": "A budget is one kind of limit."},
		{"id": "budgets", "title": "Budgets", "level": 2, "text": "A Budget bounds what a key spends."}]},
	{"url": "/docs/errors", "group": "Reference", "title": "Errors", "html": "", "sections": [
		{"id": "AUTH_MISSING_KEY", "title": "AUTH_MISSING_KEY", "level": 3, "text": "The request has no key."},
		{"id": "AUTH_INVALID_KEY", "title": "AUTH_INVALID_KEY", "level": 3, "text": "İt is not AUTH_MISSING_KEY."}]}
]}`

func loadSample(t *testing.T) *Site {
	t.Helper()
	s, err := parse([]byte(sample))
	require.NoError(t, err)
	return s
}

func urls(hits []Hit) (all []string) {
	for _, h := range hits {
		all = append(all, h.URL)
	}
	return all
}

func TestSearchRanksTitlesFirst(t *testing.T) {
	s := loadSample(t)
	require.Equal(t, []string{"/docs/limits#budgets", "/docs/limits"}, urls(s.Search("budget")))
	require.Equal(t, []string{"/docs/errors#AUTH_MISSING_KEY", "/docs/errors#AUTH_INVALID_KEY"}, urls(s.Search("auth_missing_key")))
	require.Equal(t, []string{"/docs/limits#budgets"}, urls(s.Search("BUDGET spends")), "every word must occur")
	require.Empty(t, s.Search("budget nonsense"))
	require.Empty(t, s.Search("   "))
}

func TestSearchShowsTheMatch(t *testing.T) {
	hits := loadSample(t).Search("auth_missing_key")
	require.Equal(t, "İt is not ", hits[1].Before)
	require.Equal(t, "AUTH_MISSING_KEY", hits[1].Match)
	require.Equal(t, ".", hits[1].After)
	require.Empty(t, hits[0].Match, "only the title contains it")
}

func TestSearchBoundsItsInput(t *testing.T) {
	require.Empty(t, loadSample(t).Search(strings.Repeat("ü", 500)))
	require.Empty(t, loadSample(t).Search("\xff\xfe"))
}

func TestPagesInOrder(t *testing.T) {
	s := loadSample(t)
	limits := s.Find("/docs/limits")
	previous, next := s.Neighbours(limits)
	require.Equal(t, "Documentation", previous.Title)
	require.Equal(t, "Errors", next.Title)
	require.Nil(t, s.Find("/docs/nothing"))
	require.Empty(t, limits.Contents(), "too few headings")
	require.Len(t, (&Page{Sections: []Section{{Level: 1}, {Level: 2}, {Level: 3}, {Level: 2}, {Level: 2}}}).Contents(), 3)
	groups := s.Groups()
	require.Len(t, groups, 2)
	require.Equal(t, "Use", groups[0].Name)
}
