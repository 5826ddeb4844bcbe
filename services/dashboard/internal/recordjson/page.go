package recordjson

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Page is one page of a list of records.
type Page struct {
	Items []Record `json:"items"`
	// NextCursor is null on the last page.
	NextCursor *string `json:"next_cursor"`
}

// ToPage converts a page of records.
func ToPage(page record.Page) *Page {
	out := &Page{Items: []Record{}}
	for i := range page.Items {
		out.Items = append(out.Items, ToRecord(&page.Items[i]))
	}
	if page.Next != nil {
		out.NextCursor = jsonvalue.NullIfZero(page.Next.String())
	}
	return out
}
