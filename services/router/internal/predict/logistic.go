package predict

// one is the probability 1, and unit is the logit 1, in the fixed-point numbers of this
// package.
const (
	one  = 1 << 16
	unit = 1 << 16
)

// logisticStep is the distance of the points of logisticTable: a quarter.
const logisticStep = unit / 4

// logisticTable holds one/(1+exp(-x)) for x = 0, 1/4, ..., 8.
var logisticTable = [...]int64{
	32768, 36843, 40793, 44511, 47911, 50941, 53581, 55834, 57724, 59287, 60565, 61598, 62428, 63090, 63615, 64030,
	64357, 64614, 64816, 64974, 65097, 65194, 65269, 65328, 65374, 65410, 65438, 65459, 65476, 65489, 65500, 65508, 65514,
}

// logistic returns one/(1+exp(-x)), linear between the points of the table.
func logistic(x int64) int64 {
	if x < 0 {
		return one - logistic(-x)
	}
	at := x / logisticStep
	if at >= int64(len(logisticTable)-1) {
		return logisticTable[len(logisticTable)-1]
	}
	low, high := logisticTable[at], logisticTable[at+1]
	return low + (high-low)*(x%logisticStep)/logisticStep
}
