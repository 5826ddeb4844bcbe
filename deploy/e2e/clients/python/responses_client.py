"""OpenAI's own library with the Responses API."""

import json

import openai

# A client imports this at its first call, which can deadlock between threads.
import openai.resources.responses
from openai_client import failure as chat_failure
from sdk import PIXEL, RESULTS, TOOL_NAMES, TOOL_SCHEMA, Weather

TOOLS = [{"type": "function", "name": name, "parameters": TOOL_SCHEMA, "strict": False} for name in TOOL_NAMES]


def ask(case):
    content = [{"type": "input_text", "text": case["prompt"]}]
    if case["image"]:
        content.append({"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"})
    params = {
        "model": case["model"],
        "max_output_tokens": case["max_tokens"],
        "input": [{"role": "user", "content": content}],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if case["tools"]:
        params["tools"] = TOOLS
    if case["think"]:
        params["reasoning"] = {"effort": "low", "summary": "auto"}
    return params


def calls(response):
    return [item for item in response.output if item.type == "function_call"]


def shown(response):
    reasoning = [item for item in response.output if item.type == "reasoning"]
    return {
        "id": getattr(response, "_request_id", None) or "",
        "text": response.output_text,
        "thinking": "".join(part.text for item in reasoning for part in item.summary),
        "finish": response.status,
        "input": response.usage.input_tokens,
        "output": response.usage.output_tokens,
        "calls": [{"id": c.call_id, "name": c.name, "args": json.loads(c.arguments)} for c in calls(response)],
    }


def results(response):
    return [{"type": "function_call_output", "call_id": c.call_id, "output": RESULTS[c.name]} for c in calls(response)]


class Client:
    def __init__(self, base_url, key, headers):
        self.client = openai.OpenAI(base_url=base_url, api_key=key, default_headers=headers)

    def converse(self, case, send):
        params = ask(case)
        response = send(params)
        seen = shown(response)
        if case["again"]:
            params["input"] += response.output + results(response)
            seen["then"] = shown(send(params))["text"]
        return seen

    def create(self, case):
        return self.converse(case, lambda params: self.client.responses.create(**params))

    def stream(self, case):
        said = []

        def send(params):
            with self.client.responses.stream(**params) as stream:
                for event in stream:
                    if event.type == "response.output_text.delta":
                        said.append(event.delta)
                    if event.type == "response.failed":
                        raise FailedResponse(event.response.error.message, event.code)
                    if event.type == "error":
                        raise FailedResponse(event.message, event.code)
                return stream.get_final_response()

        try:
            return self.converse(case, send)
        except Exception as err:
            return {"text": "".join(said), "error": failure(err)}

    def parse(self, case):
        response = self.client.responses.parse(**ask(case), text_format=Weather)
        return {**shown(response), "parsed": response.output_parsed.model_dump()}

    def cancel(self, case):
        with self.client.responses.create(**ask(case), stream=True) as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    return {"id": stream.response.headers["x-request-id"], "text": event.delta}


class FailedResponse(Exception):
    """A failed response or an error event of OpenAI, which the library does not turn into an error."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def failure(err):
    return {**chat_failure(err), "id": getattr(err, "request_id", None) or ""}
