package api

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxModelPage is the largest page of a list of models. Both vendors have this limit.
const maxModelPage = 1000

// modelPage is a part of a list of models.
type modelPage struct {
	cards []modelCard
	// hasMore is set if the list continues in the direction in which the client reads it.
	hasMore bool
}

// pageQuery names the query parameters of a vendor. before is empty if the vendor has no such
// parameter.
type pageQuery struct {
	limit, after, before string
	defaultLimit         int
}

// selectPage returns the part of the list that the client requests.
func (q pageQuery) selectPage(cards []modelCard, values url.Values) (modelPage, error) {
	limit := q.defaultLimit
	if text := values.Get(q.limit); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxModelPage {
			return modelPage{}, invalidQuery(q.limit, "must be an integer from 1 to "+strconv.Itoa(maxModelPage))
		}
		limit = n
	}
	if id := values.Get(q.before); q.before != "" && id != "" {
		end := indexOfCard(cards, id)
		if end < 0 {
			return modelPage{}, invalidQuery(q.before, "is not the id of a model")
		}
		start := max(0, end-limit)
		return modelPage{cards[start:end], start > 0}, nil
	}
	start := 0
	if id := values.Get(q.after); id != "" {
		if start = indexOfCard(cards, id) + 1; start == 0 {
			return modelPage{}, invalidQuery(q.after, "is not the id of a model")
		}
	}
	end := min(len(cards), start+limit)
	return modelPage{cards[start:end], end < len(cards)}, nil
}

func indexOfCard(cards []modelCard, id string) int {
	return slices.IndexFunc(cards, func(c modelCard) bool { return c.ID == id })
}

func invalidQuery(name, problem string) error {
	return apperr.New(apperr.InvalidRequest, name+" "+problem).With("param", name)
}

// withAuto returns the models of the given kinds, with another name of the route auto in front
// if the key may use it. Some clients show only models of their own vendor.
func (e *edge) withAuto(x *exchange, cards []modelCard, name string, kinds ...catalog.Kind) []modelCard {
	var all []modelCard
	if c, ok := e.autoCard(x.principal, name); ok {
		all = append(all, c)
	}
	for _, c := range cards {
		if c.ID != name && slices.Contains(kinds, c.Kind) {
			all = append(all, c)
		}
	}
	return all
}
