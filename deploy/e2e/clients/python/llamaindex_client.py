"""LlamaIndex, with its classes for compatible servers."""

from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike
from openai_client import Weather, failure

__all__ = ["Client", "failure"]


def get_weather(city: str) -> str:
    return city


TOOLS = [FunctionTool.from_defaults(fn=get_weather)]


def shown(model, response):
    made = model.get_tool_calls_from_response(response, error_on_no_tool_call=False)
    return {
        "role": response.message.role.value,
        "text": response.message.content or "",
        "finish": response.raw.choices[0].finish_reason,
        "tokens": response.raw.usage.total_tokens,
        "calls": [{"id": t.tool_id, "name": t.tool_name, "args": t.tool_kwargs} for t in made],
    }


class Client:
    def __init__(self, base_url, key, headers):
        self.options = {"api_base": base_url, "api_key": key, "default_headers": headers}

    def open(self, case):
        return OpenAILike(
            model=case["model"],
            is_chat_model=True,
            is_function_calling_model=True,
            should_use_structured_outputs=True,
            # With more retries, LlamaIndex would wait between rounds of retries.
            max_retries=1,
            **self.options,
        )

    def chat(self, case):
        model = self.open(case)
        if case["tools"]:
            return shown(model, model.chat_with_tools(TOOLS, user_msg=case["prompt"], allow_parallel_tool_calls=True))
        return shown(model, model.chat([ChatMessage(role="user", content=case["prompt"])]))

    def stream(self, case):
        model, last, text, finish = self.open(case), None, "", ""
        try:
            if case["tools"]:
                parts = model.stream_chat_with_tools(TOOLS, user_msg=case["prompt"], allow_parallel_tool_calls=True)
            else:
                parts = model.stream_chat([ChatMessage(role="user", content=case["prompt"])])
            for last in parts:
                text += last.delta or ""
                if last.raw.choices:
                    finish = last.raw.choices[0].finish_reason or finish
        except Exception as err:
            return {"text": text, "error": failure(err)}
        made = model.get_tool_calls_from_response(last, error_on_no_tool_call=False)
        calls = [{"id": t.tool_id, "name": t.tool_name, "args": t.tool_kwargs} for t in made]
        return {"role": last.message.role.value, "text": text, "finish": finish, "calls": calls}

    def parse(self, case):
        model = self.open(case).as_structured_llm(Weather)
        got = model.chat([ChatMessage(role="user", content=case["prompt"])])
        return {"parsed": got.raw.model_dump()}

    def embed(self, case):
        embedding = OpenAILikeEmbedding(model_name=case["model"], **self.options)
        return {"vectors": embedding.get_text_embedding_batch([case["prompt"], "b"])}
