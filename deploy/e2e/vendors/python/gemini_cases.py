"""Google's library."""

import base64

from google import genai
from google.genai import errors, types
from pydantic import BaseModel
from run import PIXEL, WEATHER, fails


class Weather(BaseModel):
    city: str


def said(text):
    return types.Content(role="user", parts=[types.Part(text=text)])


DECLARED = types.Tool(
    function_declarations=[types.FunctionDeclaration(name=n, parameters_json_schema=WEATHER) for n in ("get_weather", "get_time")]
)


class Cases:
    def __init__(self, url, key):
        self.client = self.make(url, key)
        self.stranger = self.make(url, "another")

    @staticmethod
    def make(url, key):
        return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=url))

    def ask(self, contents, model="gemini-3-pro-preview", **more):
        return self.client.models.generate_content(model=model, contents=contents, config=types.GenerateContentConfig(**more))

    def stream(self, contents, model="gemini-3-pro-preview", **more):
        config = types.GenerateContentConfig(**more)
        return list(self.client.models.generate_content_stream(model=model, contents=contents, config=config))

    def test_chat(self):
        got = self.ask("hello", system_instruction="be brief")
        assert got.text == "You said: hello", got
        u = got.usage_metadata
        assert u.candidates_token_count == 4 and u.thoughts_token_count > 0
        assert u.total_token_count == u.prompt_token_count + u.candidates_token_count + u.thoughts_token_count
        chunks = self.stream("a longer text than one piece")
        assert len(chunks) > 2 and "".join(c.text or "" for c in chunks) == "You said: a longer text than one piece"
        assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP

    def test_tools(self):
        turns = [said("call get_weather and get_time")]
        got = self.ask(turns, tools=[DECLARED])
        calls = got.function_calls
        assert [c.args for c in calls] == [{"city": "some city"}] * 2, got
        answers = [types.Part.from_function_response(name=c.name, response={"output": "rain"}) for c in calls]
        turns += [got.candidates[0].content, types.Content(role="user", parts=answers)]
        assert "rain" in self.ask(turns, tools=[DECLARED]).text
        got.candidates[0].content.parts[0].thought_signature = b"skip_thought_signature_validator"
        assert "rain" in self.ask(turns, tools=[DECLARED]).text
        got.candidates[0].content.parts[0].thought_signature = b"something else"
        assert "Corrupted" in str(fails(errors.ClientError, lambda: self.ask(turns, tools=[DECLARED])))
        got.candidates[0].content.parts[0].thought_signature = None
        assert "missing a thought_signature" in str(fails(errors.ClientError, lambda: self.ask(turns, tools=[DECLARED])))

    def test_functions_called_by_the_library(self):
        def get_weather(city: str) -> str:
            """Tells the weather."""
            return f"rain in {city}"

        assert "rain in some city" in self.ask("call get_weather", tools=[get_weather]).text

    def test_thinking(self):
        got = self.ask("hello", thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_level="LOW"))
        parts = got.candidates[0].content.parts
        assert parts[0].thought and parts[1].thought_signature
        chat = self.client.chats.create(model="gemini-3-pro-preview")
        chat.send_message("hello")
        for _ in chat.send_message_stream("go on"):
            pass
        assert chat.send_message("further").text == "You said: further"

    def test_schema(self):
        got = self.ask("the weather", response_mime_type="application/json", response_schema=Weather)
        assert got.parsed == Weather(city="some city")
        got = self.ask("the weather", response_mime_type="application/json", response_json_schema=WEATHER)
        assert got.parsed == {"city": "some city"}

    def test_image(self):
        image = types.Part.from_bytes(data=base64.b64decode(PIXEL), mime_type="image/png")
        assert "1 attachments" in self.ask([types.Part(text="look"), image]).text

    def test_embeddings(self):
        got = self.client.models.embed_content(
            model="gemini-embedding-001", contents=["a", "b"], config=types.EmbedContentConfig(output_dimensionality=128)
        )
        assert [len(e.values) for e in got.embeddings] == [128, 128]

    def test_count_and_models(self):
        n = self.client.models.count_tokens(model="gemini-2.5-pro", contents="hello").total_tokens
        assert n == self.ask("hello", model="gemini-2.5-pro").usage_metadata.prompt_token_count
        first = next(iter(self.client.models.list()))
        assert self.client.models.get(model=first.name).name == first.name

    def test_blocked(self):
        got = self.ask("[[emulate:block]]")
        assert got.prompt_feedback.block_reason == types.BlockedReason.SAFETY
        got = self.ask("[[emulate:block;text]]")
        assert got.candidates[0].finish_reason == types.FinishReason.SAFETY

    def test_errors(self):
        for name, (kind, code, status) in {
            "400": (errors.ClientError, 400, "INVALID_ARGUMENT"),
            "403": (errors.ClientError, 403, "PERMISSION_DENIED"),
            "404": (errors.ClientError, 404, "NOT_FOUND"),
            "429": (errors.ClientError, 429, "RESOURCE_EXHAUSTED"),
            "500": (errors.ServerError, 500, "INTERNAL"),
            "503": (errors.ServerError, 503, "UNAVAILABLE"),
        }.items():
            err = fails(kind, lambda: self.ask(f"[[emulate:{name}]]"))
            assert (err.code, err.status) == (code, status)
        err = fails(errors.ClientError, lambda: list(self.stranger.models.list()))
        assert "API key not valid" in str(err)

    def test_error_in_stream(self):
        fails(errors.ServerError, lambda: self.stream("[[emulate:error=1]]"))
