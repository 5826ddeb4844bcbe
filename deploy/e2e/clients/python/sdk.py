"""What the clients of the vendors' own protocols share."""

from pydantic import BaseModel

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

TOOL_NAMES = ("get_weather", "get_time")
TOOL_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
RESULTS = {"get_weather": "rain", "get_time": "noon"}


class Weather(BaseModel):
    city: str
    degrees: float
