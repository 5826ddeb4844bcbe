package predict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

func TestPoliteSentencesAreRemoved(t *testing.T) {
	const request = "Which gas is noble, and why?"
	for _, before := range []string{
		"", "  \n", "Hi! ", "Hello there,\n\n", "Could you please help me with this? ", "Please ", "Can you please ", "Would you kindly help me out. ",
		"Good morning. I have a quick question for you: ", "I am stuck on this problem and would appreciate some help.\n", "Hey, I was wondering if you could help me with the following question. ",
	} {
		for _, after := range []string{"", " Thanks!", "\n\nThank you very much in advance.", "\nThanks a lot, I appreciate it.", " Please.", "\nMany thanks"} {
			require.Equal(t, request, predict.WithoutCourtesy(before+request+after), before+"…"+after)
		}
	}
}

func TestIndirectQuestionsAreDirectOnes(t *testing.T) {
	for _, before := range []string{"Tell me ", "I'd like to know ", "I would  like to know, ", "Could you please tell me ", "Do you know ", "I\u2019d like to know "} {
		require.Equal(t, "who wrote Dracula?", predict.WithoutCourtesy(before+"who wrote Dracula?"), before)
	}
	for _, text := range []string{"Tell me a joke", "I know what you did.", "I like what I see.", "Do you know French?", "Tell me"} {
		require.Equal(t, text, predict.WithoutCourtesy(text))
	}
}

func TestRequestsAreNotTakenForCourtesy(t *testing.T) {
	for _, text := range []string{
		"hi", "thank you!", "Can you help me?", "How many apples do I need?", "Hello World in Rust, with tests.", "Help me to write a will.",
		"Dear customer, we regret the delay. Rewrite it.", "Find the number of problems with 3 solutions.", "Say thanks", "你好", "",
	} {
		require.Equal(t, text, predict.WithoutCourtesy(text))
	}
}
