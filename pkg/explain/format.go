package explain

import "strconv"

// formatCount writes a number with separators, such as 12,000.
func formatCount(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// count writes a number and a noun, such as "1 tool" or "4 tools".
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return formatCount(n) + " " + noun + "s"
}

// formatShare writes thousandths as a percentage. A share below 1 % is not written as 0 %.
func formatShare(thousandths int64) string {
	if thousandths > 0 && thousandths < 10 {
		return "less than 1 %"
	}
	return strconv.FormatInt((thousandths+5)/10, 10) + " %"
}

// FormatQuality writes thousandths as a number from 0 to 1 with two decimals, such as 0.85.
func FormatQuality(thousandths int64) string {
	hundredths := (max(thousandths, 0) + 5) / 10
	tail := strconv.FormatInt(hundredths%100, 10)
	if len(tail) == 1 {
		tail = "0" + tail
	}
	return strconv.FormatInt(hundredths/100, 10) + "." + tail
}

// FormatInterval writes an interval as 0.79–0.91.
func FormatInterval(i Interval) string { return FormatQuality(i.Low) + "–" + FormatQuality(i.High) }
