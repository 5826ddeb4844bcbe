"""Anthropic's library."""

import anthropic
from anthropic._exceptions import OverloadedError
from pydantic import BaseModel
from run import PIXEL, WEATHER, fails


class Weather(BaseModel):
    city: str


TOOLS = [
    {"name": name, "description": "tells something", "input_schema": WEATHER} for name in ("get_weather", "get_time")
]


def user(content):
    return {"role": "user", "content": content}


class Cases:
    def __init__(self, url, key):
        self.client = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0)
        self.stranger = anthropic.Anthropic(base_url=url, api_key="another", max_retries=0)

    def ask(self, content, model="claude-opus-5", **more):
        return self.client.messages.create(model=model, max_tokens=2048, messages=[user(content)], **more)

    def stream(self, messages, model="claude-opus-5", **more):
        with self.client.messages.stream(model=model, max_tokens=2048, messages=messages, **more) as stream:
            return stream.get_final_message()

    def test_chat(self):
        for got in self.ask("hello", system="be brief"), self.stream([user("hello")], system="be brief"):
            assert got.content[0].text == "You said: hello", got
            assert got.stop_reason == "end_turn"
            assert got.usage.output_tokens == 4 and got.usage.input_tokens > 0

    def test_text_stream(self):
        with self.client.messages.stream(model="claude-opus-5", max_tokens=99, messages=[user("a longer text than one piece")]) as s:
            pieces = list(s.text_stream)
        assert len(pieces) > 1 and "".join(pieces) == "You said: a longer text than one piece"

    def test_tools_with_thinking(self):
        more = {"model": "claude-sonnet-4-5", "tools": TOOLS, "thinking": {"type": "enabled", "budget_tokens": 1024}}
        turns = [user("call get_weather and get_time")]
        got = self.stream(turns, **more)
        calls = [b for b in got.content if b.type == "tool_use"]
        assert got.stop_reason == "tool_use" and [c.input for c in calls] == [{"city": "some city"}] * 2
        results = [{"type": "tool_result", "tool_use_id": c.id, "content": "rain"} for c in calls]
        turns += [{"role": "assistant", "content": got.content}, user(results)]
        assert self.stream(turns, **more).content[-1].text == "The tools answered: rain and rain"
        turns[1] = {"role": "assistant", "content": calls}
        err = fails(anthropic.BadRequestError, lambda: self.stream(turns, **more))
        assert "Expected `thinking`" in str(err)

    def test_parse(self):
        got = self.client.messages.parse(model="claude-opus-5", max_tokens=99, messages=[user("the weather")], output_format=Weather)
        assert got.parsed_output == Weather(city="some city"), got

    def test_image(self):
        source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
        got = self.ask([{"type": "text", "text": "look"}, {"type": "image", "source": source}])
        assert "1 attachments" in got.content[0].text

    def test_count_and_models(self):
        n = self.client.messages.count_tokens(model="claude-opus-5", messages=[user("hello")]).input_tokens
        assert n == self.ask("hello").usage.input_tokens
        first = next(iter(self.client.models.list()))
        assert self.client.models.retrieve(first.id).id == first.id

    def test_errors(self):
        for name, kind in {
            "400": anthropic.BadRequestError,
            "401": anthropic.AuthenticationError,
            "403": anthropic.PermissionDeniedError,
            "404": anthropic.NotFoundError,
            "409": anthropic.ConflictError,
            "429": anthropic.RateLimitError,
            "500": anthropic.InternalServerError,
            "529": OverloadedError,
            "context": anthropic.BadRequestError,
        }.items():
            err = fails(kind, lambda: self.ask(f"[[emulate:{name}]]"))
            assert err.request_id.startswith("req_") and err.body["type"] == "error"
        fails(anthropic.AuthenticationError, lambda: self.stranger.models.list())

    def test_error_in_stream(self):
        err = fails(anthropic.APIStatusError, lambda: self.stream([user("[[emulate:error=4]]")]))
        assert err.body["error"]["type"] == "overloaded_error"

    def test_refusals(self):
        for content, more in (
            ("", {}),
            ("hello", {"temperature": 0.5}),
            ("hello", {"tools": [{"name": "a b", "input_schema": WEATHER}]}),
            ([{"type": "tool_result", "tool_use_id": "x", "content": "y"}], {}),
            ([{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}] * 5, {}),
        ):
            fails(anthropic.BadRequestError, lambda: self.ask(content, extra_body=more))
