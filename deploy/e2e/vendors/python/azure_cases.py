"""OpenAI's library with Azure."""

import openai
import openai_cases


class Cases(openai_cases.Cases):
    def __init__(self, url, key):
        self.client, self.stranger = self.make(url, key), self.make(url, "another")

    @staticmethod
    def make(url, key):
        return openai.AzureOpenAI(azure_endpoint=url, api_key=key, api_version="2024-10-21", max_retries=0)

    # Azure lists models at another path and has its own statuses.
    def test_embeddings_and_models(self):
        got = self.client.embeddings.create(model="text-embedding-3-small", input=["a", "b"], dimensions=64)
        assert [len(d.embedding) for d in got.data] == [64, 64]

    def test_errors(self):
        for name, kind in {
            "401": openai.AuthenticationError,
            "404": openai.NotFoundError,
            "429": openai.RateLimitError,
            "500": openai.InternalServerError,
        }.items():
            openai_cases.fails(kind, lambda: self.ask(f"[[emulate:{name}]]"))
        err = openai_cases.fails(openai.BadRequestError, lambda: self.ask("[[emulate:filter]]"))
        assert err.code == "content_filter"
        assert err.body["innererror"]["code"] == "ResponsibleAIPolicyViolation"
        openai_cases.fails(openai.AuthenticationError, lambda: self.stranger.chat.completions.create(model="gpt-4o", messages=[]))
