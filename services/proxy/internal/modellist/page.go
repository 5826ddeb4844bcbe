package modellist

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// maxPage is the largest page of a list of models. Both vendors have this limit.
const maxPage = 1000

// page is a part of a list of models.
type page struct {
	cards []Card
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
func (q pageQuery) selectPage(cards []Card, values url.Values) (page, error) {
	limit := q.defaultLimit
	if text := values.Get(q.limit); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPage {
			return page{}, invalidQuery(q.limit, "must be an integer from 1 to "+strconv.Itoa(maxPage))
		}
		limit = n
	}
	if id := values.Get(q.before); q.before != "" && id != "" {
		end := indexOfCard(cards, id)
		if end < 0 {
			return page{}, invalidQuery(q.before, "is not the id of a model")
		}
		start := max(0, end-limit)
		return page{cards[start:end], start > 0}, nil
	}
	start := 0
	if id := values.Get(q.after); id != "" {
		if start = indexOfCard(cards, id) + 1; start == 0 {
			return page{}, invalidQuery(q.after, "is not the id of a model")
		}
	}
	end := min(len(cards), start+limit)
	return page{cards[start:end], end < len(cards)}, nil
}

func indexOfCard(cards []Card, id string) int {
	return slices.IndexFunc(cards, func(c Card) bool { return c.ID == id })
}

func invalidQuery(name, problem string) error {
	return apperr.New(apperr.InvalidRequest, name+" "+problem).With("param", name)
}
