package codec

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// The limits of a record, in bytes and list items. Records of a proxy with the default
// settings stay far below them. The limits keep a damaged or malicious record from
// producing a page that is too large for a browser.
const (
	maxText = 1 << 10
	// maxLabel is the length of the values that clients choose and that the ledger
	// indexes. Proxies send at most 128 bytes.
	maxLabel  = 256
	maxReason = 2 << 10
	maxError  = 4 << 10
	// maxContent is the highest value of a proxy's --capture-bytes. If a damaged record
	// has more, the rest is not stored.
	maxContent    = 256 << 10
	maxListItems  = 100
	maxFeatures   = 250
	maxTraceBytes = 16
)

// limitLabel also replaces the characters that a database rejects, so that the record and
// its indexed columns have the same value.
func limitLabel(s string) string { return Truncate(CleanText(s), maxLabel) }

func limitText(s string) string { return Truncate(s, maxText) }

// Truncate shortens a string to at most maxBytes bytes without splitting a
// character.
func Truncate(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	for maxBytes > 0 && !utf8.RuneStart(s[maxBytes]) {
		maxBytes--
	}
	return s[:maxBytes]
}

func firstItems[T any](all []T, limit int) []T { return all[:min(len(all), limit)] }

// featuresFromProto drops the features beyond maxFeatures. It sorts the features
// by name first, so that a record that is decoded again has the same features.
func featuresFromProto(all map[string]int64) map[string]int64 {
	if len(all) == 0 {
		return nil
	}
	out := make(map[string]int64, min(len(all), maxFeatures))
	for _, name := range firstItems(slices.Sorted(maps.Keys(all)), maxFeatures) {
		out[limitText(name)] = all[name]
	}
	return out
}
