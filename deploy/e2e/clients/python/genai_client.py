"""Google's own library."""

import base64

from google import genai
from google.genai import types
from sdk import PIXEL, RESULTS, TOOL_NAMES, TOOL_SCHEMA, Weather

TOOLS = [
    types.Tool(
        function_declarations=[
            types.FunctionDeclaration(name=name, parameters_json_schema=TOOL_SCHEMA) for name in TOOL_NAMES
        ]
    )
]


def parts(case):
    image = types.Part.from_bytes(data=base64.b64decode(PIXEL), mime_type="image/png")
    return [types.Part(text=case["prompt"]), *([image] if case["image"] else [])]


def config(case, **more):
    thinking = types.ThinkingConfig(include_thoughts=True, thinking_level="LOW")
    return types.GenerateContentConfig(
        max_output_tokens=case["max_tokens"],
        tools=TOOLS if case["tools"] else None,
        thinking_config=thinking if case["think"] else None,
        **more,
    )


def shown(chunks):
    """Joins the chunks of a stream. A complete response is one chunk."""
    seen = {"text": "", "thinking": "", "calls": []}
    for chunk in chunks:
        candidate = chunk.candidates[0]
        seen["id"] = chunk.sdk_http_response.headers["x-request-id"]
        seen["role"] = "assistant" if candidate.content.role == "model" else candidate.content.role
        seen["finish"] = candidate.finish_reason and candidate.finish_reason.name
        for part in candidate.content.parts:
            seen["thinking" if part.thought else "text"] += part.text or ""
            if part.function_call:
                call = part.function_call
                seen["calls"].append({"id": call.id or "", "name": call.name, "args": call.args})
    usage = chunks[-1].usage_metadata
    seen["input"] = usage.prompt_token_count
    seen["output"] = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    return seen


def turn(chunks):
    """Joins the parts of all chunks into one turn of the model, without empty parts."""
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
    return types.Content(role="model", parts=[part for part in parts if part.text != "" or part.thought_signature])


def results(calls):
    return [
        types.Part(
            function_response=types.FunctionResponse(
                id=call["id"] or None, name=call["name"], response={"output": RESULTS[call["name"]]}
            )
        )
        for call in calls
    ]


class Client:
    def __init__(self, base_url, key, headers):
        self.client = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=base_url, headers=headers))

    def converse(self, case, send):
        contents = [types.Content(role="user", parts=parts(case))]
        chunks = send(contents)
        seen = shown(chunks)
        if case["again"]:
            contents += [turn(chunks), types.Content(role="user", parts=results(seen["calls"]))]
            seen["then"] = shown(send(contents))["text"]
        return seen

    def create(self, case):
        generate = self.client.models.generate_content
        return self.converse(case, lambda contents: [generate(model=case["model"], contents=contents, config=config(case))])

    def stream(self, case):
        said = []

        def send(contents):
            chunks = []
            stream = self.client.models.generate_content_stream(model=case["model"], contents=contents, config=config(case))
            for chunk in stream:
                chunks.append(chunk)
                said.append(chunk.text or "")
            return chunks

        try:
            return self.converse(case, send)
        except Exception as err:
            return {"text": "".join(said), "error": failure(err)}

    def parse(self, case):
        response = self.client.models.generate_content(
            model=case["model"],
            contents=parts(case),
            config=config(case, response_mime_type="application/json", response_schema=Weather),
        )
        return {**shown([response]), "parsed": response.parsed.model_dump()}

    def count(self, case):
        return {"input": self.client.models.count_tokens(model=case["model"], contents=parts(case)).total_tokens}

    def cancel(self, case):
        stream = self.client.models.generate_content_stream(model=case["model"], contents=parts(case), config=config(case))
        chunk = next(stream)
        stream.close()
        return {"id": chunk.sdk_http_response.headers["x-request-id"], "text": chunk.text}


def failure(err):
    details = getattr(err, "details", None)
    response = getattr(err, "response", None)
    headers = getattr(response, "headers", None) or {}
    return {
        "id": headers.get("x-request-id", ""),
        "class": type(err).__name__,
        "status": getattr(err, "code", 0),
        "code": details.get("code") if isinstance(details, dict) else "",
        "header": headers.get("x-error-code", ""),
        "message": str(err),
    }
