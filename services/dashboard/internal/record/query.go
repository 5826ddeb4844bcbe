package record

import (
	"time"
)

// Query selects the records of one account that are in a time range and match all
// terms.
type Query struct {
	// Account must not be empty: no query spans accounts.
	Account string
	// From is inclusive, To is exclusive. Zero means unbounded.
	From, To time.Time
	Terms    []Term
	// Sort is the order of pages. Other reads ignore it.
	Sort Sort
}

// Page is one page of the records that match a query, newest first unless the query
// has another order.
type Page struct {
	Items []Record
	// Next continues the search after this page; nil if there are no more records.
	Next *Cursor
}
