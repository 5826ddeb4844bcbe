"""Anthropic's own library."""

import anthropic

# A client imports this at its first call, which can deadlock between threads.
import anthropic.resources.messages
from sdk import PIXEL, RESULTS, TOOL_NAMES, TOOL_SCHEMA, Weather

TOOLS = [{"name": name, "input_schema": TOOL_SCHEMA} for name in TOOL_NAMES]


def user(content):
    return {"role": "user", "content": content}


def ask(case):
    content = [{"type": "text", "text": case["prompt"]}]
    if case["image"]:
        content.append({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}})
    params = {"model": case["model"], "max_tokens": case["max_tokens"], "messages": [user(content)]}
    if case["tools"]:
        params["tools"] = TOOLS
    if case["think"]:
        params["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    return params


def shown(message):
    made = [b for b in message.content if b.type == "tool_use"]
    return {
        "id": message._request_id,
        "role": message.role,
        "text": "".join(b.text for b in message.content if b.type == "text"),
        "thinking": "".join(b.thinking for b in message.content if b.type == "thinking"),
        "finish": message.stop_reason,
        "input": message.usage.input_tokens,
        "output": message.usage.output_tokens,
        "calls": [{"id": b.id, "name": b.name, "args": b.input} for b in made],
    }


def results(message):
    made = [b for b in message.content if b.type == "tool_use"]
    return user([{"type": "tool_result", "tool_use_id": b.id, "content": RESULTS[b.name]} for b in made])


class Client:
    def __init__(self, base_url, key, headers):
        self.client = anthropic.Anthropic(base_url=base_url, api_key=key, default_headers=headers)

    def converse(self, case, send):
        params = ask(case)
        message = send(params)
        seen = shown(message)
        if case["again"]:
            params["messages"] += [{"role": "assistant", "content": message.content}, results(message)]
            seen["then"] = shown(send(params))["text"]
        return seen

    def create(self, case):
        return self.converse(case, lambda params: self.client.messages.create(**params))

    def stream(self, case):
        said = []

        def send(params):
            with self.client.messages.stream(**params) as stream:
                said.extend(stream.text_stream)
                message = stream.get_final_message()
                message._request_id = stream.response.headers["request-id"]
                return message

        try:
            return self.converse(case, send)
        except Exception as err:
            return {"text": "".join(said), "error": failure(err)}

    def parse(self, case):
        message = self.client.messages.parse(**ask(case), output_format=Weather)
        return {**shown(message), "parsed": message.parsed_output.model_dump()}

    def count(self, case):
        params = ask(case)
        del params["max_tokens"]
        return {"input": self.client.messages.count_tokens(**params).input_tokens}

    def cancel(self, case):
        with self.client.messages.stream(**ask(case)) as stream:
            text = next(iter(stream.text_stream))
            return {"id": stream.response.headers["request-id"], "text": text}


def failure(err):
    body = getattr(err, "body", None)
    response = getattr(err, "response", None)
    return {
        "id": getattr(err, "request_id", None) or "",
        "class": type(err).__name__,
        "status": getattr(err, "status_code", 0),
        "code": body.get("code") if isinstance(body, dict) else "",
        "header": "" if response is None else response.headers.get("x-error-code", ""),
        "message": str(err),
    }
