"""OpenAI's own library."""

import json

import openai

# A client imports these at its first call, which can deadlock between threads.
import openai.resources.chat.completions.completions
import openai.resources.embeddings
import openai.resources.models
from sdk import Weather

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
]


def ask(case):
    tools = {"tools": TOOLS} if case["tools"] else {}
    if case["orphans"]:
        tools = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True, "functions": [], "stop": None}
    return {"model": case["model"], "messages": [{"role": "user", "content": case["prompt"]}], **tools}


def calls(made):
    return [
        {"id": t.id, "type": t.type, "name": t.function.name, "args": json.loads(t.function.arguments)} for t in made or []
    ]


def shown(completion):
    choice = completion.choices[0]
    parsed = getattr(choice.message, "parsed", None)
    return {
        "id": getattr(completion, "_request_id", None),
        "role": choice.message.role,
        "text": choice.message.content or "",
        "finish": choice.finish_reason,
        "tokens": completion.usage.total_tokens,
        "calls": calls(choice.message.tool_calls),
        "parsed": parsed and parsed.model_dump(),
    }


class Client:
    def __init__(self, base_url, key, headers):
        self.client = openai.OpenAI(base_url=base_url, api_key=key, default_headers=headers)

    def chat(self, case):
        return shown(self.client.chat.completions.create(**ask(case)))

    def stream(self, case):
        """Assembles chunks like a simple program that trusts every field."""
        seen = {"text": "", "calls": {}}
        try:
            for chunk in self.client.chat.completions.create(**ask(case), stream=True):
                self.fold(seen, chunk)
        except Exception as err:
            return {"text": seen["text"], "error": failure(err)}
        made = [{**c, "args": json.loads(c["args"])} for c in seen["calls"].values()]
        return {**seen, "calls": made}

    @staticmethod
    def fold(seen, chunk):
        choice = chunk.choices[0]
        seen["role"] = choice.delta.role or seen.get("role")
        seen["text"] += choice.delta.content or ""
        seen["finish"] = choice.finish_reason or seen.get("finish")
        for t in choice.delta.tool_calls or []:
            call = seen["calls"].setdefault(t.index, {"id": "", "type": "", "name": "", "args": ""})
            call["id"] += t.id or ""
            call["type"] += t.type or ""
            call["name"] += t.function.name or ""
            call["args"] += t.function.arguments or ""

    def helper(self, case):
        with self.client.chat.completions.stream(**ask(case), stream_options={"include_usage": True}) as stream:
            return shown(stream.get_final_completion())

    def parse(self, case):
        return shown(self.client.chat.completions.parse(**ask(case), response_format=Weather))

    def embed(self, case):
        got = self.client.embeddings.create(model=case["model"], input=[case["prompt"], "b"])
        return {"vectors": [d.embedding for d in got.data], "tokens": got.usage.total_tokens}

    def models(self, case):
        return {"models": [m.id for m in self.client.models.list()]}

    def model(self, case):
        return {"models": [self.client.models.retrieve(case["model"]).id]}


def failure(err):
    response = getattr(err, "response", None)
    return {
        "class": type(err).__name__,
        "status": getattr(err, "status_code", 0),
        "code": getattr(err, "code", None) or "",
        "header": "" if response is None else response.headers.get("x-error-code", ""),
        "title": str(err),
        "message": f"{err} {getattr(err, 'body', '')}",
    }
