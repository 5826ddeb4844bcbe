"""LangChain, on top of the vendor's library."""

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from openai_client import TOOLS, Weather, failure

__all__ = ["Client", "failure"]


def shown(message):
    return {
        "text": message.content,
        "finish": message.response_metadata["finish_reason"],
        "tokens": message.usage_metadata["total_tokens"],
        "calls": [{"id": t["id"], "name": t["name"], "args": t["args"]} for t in message.tool_calls],
    }


class Client:
    def __init__(self, base_url, key, headers):
        self.options = {"base_url": base_url, "api_key": key, "default_headers": headers}

    def bound(self, case, **more):
        model = ChatOpenAI(model=case["model"], **self.options, **more)
        return model.bind_tools(TOOLS) if case["tools"] else model

    def chat(self, case):
        return shown(self.bound(case).invoke(case["prompt"]))

    def stream(self, case):
        text, finish = "", ""
        try:
            for chunk in self.bound(case).stream(case["prompt"]):
                text += chunk.content
                finish = chunk.response_metadata.get("finish_reason", finish)
        except Exception as err:
            return {"text": text, "error": failure(err)}
        return {"text": text, "finish": finish}

    def helper(self, case):
        whole = None
        for chunk in self.bound(case, stream_usage=True).stream(case["prompt"]):
            whole = chunk if whole is None else whole + chunk
        return shown(whole)

    def parse(self, case):
        structured = self.bound(case).with_structured_output(Weather, method="json_schema", include_raw=True)
        got = structured.invoke(case["prompt"])
        return {**shown(got["raw"]), "parsed": got["parsed"].model_dump()}

    def embed(self, case):
        # By default LangChain counts tokens first, and downloads a table for that.
        embeddings = OpenAIEmbeddings(model=case["model"], check_embedding_ctx_length=False, **self.options)
        return {"vectors": embeddings.embed_documents([case["prompt"], "b"])}
