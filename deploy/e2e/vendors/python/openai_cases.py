"""OpenAI's library."""

import openai
from pydantic import BaseModel
from run import PIXEL, WEATHER, fails


class Weather(BaseModel):
    city: str


TOOLS = [
    {"type": "function", "function": {"name": name, "strict": True, "parameters": WEATHER}} for name in ("get_weather", "get_time")
]


def user(content):
    return {"role": "user", "content": content}


class Cases:
    def __init__(self, url, key):
        self.client = openai.OpenAI(base_url=url + "/v1", api_key=key, max_retries=0)
        self.stranger = openai.OpenAI(base_url=url + "/v1", api_key="another", max_retries=0)

    def ask(self, content, model="gpt-4o", **more):
        return self.client.chat.completions.create(model=model, messages=[user(content)], **more)

    def stream(self, messages, model="gpt-4o", **more):
        with self.client.chat.completions.stream(
            model=model, messages=messages, stream_options={"include_usage": True}, **more
        ) as stream:
            return stream.get_final_completion()

    def test_chat(self):
        for got in self.ask("hello"), self.stream([user("hello")]):
            assert got.choices[0].message.content == "You said: hello", got
            assert got.choices[0].finish_reason == "stop" and got.usage.completion_tokens == 4

    def test_tools(self):
        turns = [user("call get_weather and get_time")]
        message = self.stream(turns, tools=TOOLS).choices[0].message
        assert [c.function.parsed_arguments for c in message.tool_calls] == [{"city": "some city"}] * 2
        turns.append(plain(message))
        turns += [{"role": "tool", "tool_call_id": c.id, "content": "rain"} for c in message.tool_calls]
        got = self.client.chat.completions.create(model="gpt-4o", tools=TOOLS, messages=turns)
        assert got.choices[0].message.content == "The tools answered: rain and rain"
        fails(openai.BadRequestError, lambda: self.client.chat.completions.create(model="gpt-4o", messages=[turns[0], turns[2]]))

    def test_parse(self):
        got = self.client.chat.completions.parse(model="gpt-4o", messages=[user("the weather")], response_format=Weather)
        assert got.choices[0].message.parsed == Weather(city="some city")

    def test_image(self):
        parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PIXEL}}]
        assert "1 attachments" in self.ask(parts).choices[0].message.content

    def test_reasoning(self):
        got = self.ask("hello", model="gpt-5", reasoning_effort="high", max_completion_tokens=99)
        assert got.usage.completion_tokens_details.reasoning_tokens > 0
        err = fails(openai.BadRequestError, lambda: self.ask("hello", model="gpt-5", max_tokens=9))
        assert err.code == "unsupported_parameter" and err.param == "max_tokens"

    def test_embeddings_and_models(self):
        got = self.client.embeddings.create(model="text-embedding-3-small", input=["a", "b"], dimensions=64)
        assert [len(d.embedding) for d in got.data] == [64, 64]
        first = next(iter(self.client.models.list()))
        assert self.client.models.retrieve(first.id).id == first.id

    def test_errors(self):
        for name, kind in {
            "400": openai.BadRequestError,
            "401": openai.AuthenticationError,
            "403": openai.PermissionDeniedError,
            "404": openai.NotFoundError,
            "409": openai.ConflictError,
            "422": openai.UnprocessableEntityError,
            "429": openai.RateLimitError,
            "500": openai.InternalServerError,
            "503": openai.InternalServerError,
        }.items():
            assert fails(kind, lambda: self.ask(f"[[emulate:{name}]]")).request_id.startswith("req_")
        fails(openai.AuthenticationError, lambda: self.stranger.models.list())

    def test_error_in_stream(self):
        fails(openai.APIError, lambda: self.stream([user("[[emulate:error=2]]")]))


def plain(message):
    """Returns the message in the form that a request accepts."""
    calls = [{"id": c.id, "type": "function", "function": {"name": c.function.name, "arguments": c.function.arguments}} for c in message.tool_calls]
    return {"role": "assistant", "content": message.content, "tool_calls": calls}
