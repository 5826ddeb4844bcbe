package predict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

func TestPhrasesThatAskForAProgramAreAlike(t *testing.T) {
	for _, text := range []string{
		"Write a function to sort a list.", "Please implement a Python method that can sort a list.",
		"I want a script in Python which will sort a list.", "could you create a routine to sort a list.",
	} {
		require.Equal(t, "Write a function to sort a list.", predict.Core(text))
	}
	for _, text := range []string{
		"Write a story about a robot.", "Explain what a function is.", "The program that we wrote fails.", "Write a function: f(x) = 2 to 3", "", "to",
	} {
		require.Equal(t, text, predict.Core(text))
	}
}
